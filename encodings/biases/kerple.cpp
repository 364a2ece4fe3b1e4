// SPDX-License-Identifier: Apache-2.0
// encodings/biases: `kerple`, kernelised distances with learned shape.
#include <ATen/ATen.h>

#include "encodings/encoding.h"

namespace relbias::encodings {
namespace {

/// variant=log:   b_h[r] = -r1 log(1 + r2 d)        variant=power: b_h[r] = -r1 d^r2, 0 < r2 <= 2
///
/// r1 and r2 are stored as such, one each a head, and kept in range where they are used: at least
/// 0.01 as in the released code, r2 of the power at most 2. At d = 0 the power is 0 and so is its
/// gradient (the formula's derivative has 0 * log 0).
///
/// log, r1 = r2 = 1, 3 tokens, causal:   0 / -0.6931 0 / -1.0986 -0.6931 0
class Kerple final : public Encoding {
 public:
  Kerple(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial), power_(options.word("variant") == "power") {
    const int64_t heads = table_heads();
    r1_ = register_parameter("r1", initial.uniform("r1", {heads, 1}, smallest, power_ ? 1.0 : 2.0));
    r2_ = register_parameter("r2", initial.uniform("r2", {heads, 1}, smallest, power_ ? 2.0 : 1.0));
    learn_special_ids();
  }

 protected:
  Terms compute_terms(const RelationMap& relation) override {
    const Tensor distance = relation.distance.to(r1_.scalar_type()).unsqueeze(0);  // [1, R]
    const Tensor r1 = r1_.clamp_min(smallest);
    Terms terms;
    if (!power_) {
      terms.score = -r1 * (r2_.clamp_min(smallest) * distance).log1p();
      return terms;
    }
    const Tensor away = distance > 0;
    const Tensor base = at::where(away, distance, at::ones_like(distance));
    terms.score = -r1 * at::where(away, base.pow(r2_.clamp(smallest, 2.0)), at::zeros_like(base));
    return terms;
  }

 private:
  static constexpr double smallest = 0.01;
  bool power_;
  Tensor r1_, r2_;  // [1|H, 1]
};

}  // namespace

EncodingEntry encoding_kerple() {
  return {
      .formula =
          "variant=log: b_h[r] = -r1 log(1 + r2 d); variant=power: b_h[r] = -r1 d^r2, "
          "0 < r2 <= 2; r1, r2 > 0 learned for every head",
      .source = "Chi, Fan, Ramadge, Rudnicky 2022, KERPLE, eq. 5 and 6",
      .initial =
          "log: r1 ~ U(0.01, 2), r2 ~ U(0.01, 1); power: r1 ~ U(0.01, 1), r2 ~ U(0.01, 2); "
          "init_std is not used",
      .need = Need::distance,
      .past_range = {PastRange::extend, PastRange::clamp, PastRange::interpolate},
      .per_head = true,
      .options = {{"variant", "log", "the kernel", {"log", "power"}}},
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Kerple>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
