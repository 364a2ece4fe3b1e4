// SPDX-License-Identifier: Apache-2.0
// encodings/biases: `alibi`, attention with linear biases.
#include <ATen/ATen.h>

#include <cmath>

#include "encodings/encoding.h"

namespace relbias::encodings {
namespace {

// Published order, not sorted: for H a power of two 2^(-8 i / H), i = 1..H; else the series of the
// largest power of two below H, then every other slope of twice that many. H = 6:
// 0.25 0.0625 0.015625 0.00390625 0.5 0.125.
std::vector<float> slopes(int64_t heads) {
  int64_t power = 1;
  while (2 * power <= heads) power *= 2;
  std::vector<float> values;
  for (int64_t i = 1; i <= power; ++i) {
    values.push_back(static_cast<float>(std::exp2(-8.0 * static_cast<double>(i) / power)));
  }
  for (int64_t i = 1; static_cast<int64_t>(values.size()) < heads; i += 2) {
    values.push_back(static_cast<float>(std::exp2(-4.0 * static_cast<double>(i) / power)));
  }
  return values;
}

/// b_h[r] = -slope_h * distance(r), always in float32: in bfloat16 the distances 512 and 513 at
/// slope 0.5 would both become -256.
///
/// 3 tokens, slope 0.5:     0 -0.5 -1     Without a causal mask the bias is symmetric, so direction
///                       -0.5    0 -0.5   is invisible; with one, only the rows' left parts count.
///                         -1 -0.5  0
class Alibi final : public Encoding {
 public:
  Alibi(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial) {
    slopes_ = register_buffer("slopes", initial.placed(at::tensor(slopes(context.heads))));
    learn_special_ids();
  }

 protected:
  Terms compute_terms(const RelationMap& relation) override {
    Terms terms;
    terms.score = -slopes_.unsqueeze(1) * relation.distance;
    return terms;
  }

 private:
  Tensor slopes_;  // [H]
};

}  // namespace

EncodingEntry encoding_alibi() {
  return {
      .formula =
          "b_h[r] = -slope_h * distance, slope_h = 2^(-8 h / H), h = 1..H, for powers of two; "
          "else the published interleaving, in its order",
      .source =
          "Press, Smith, Lewis 2022, Train Short, Test Long, section 3; slopes for other head "
          "counts from the released code",
      .initial = "fixed; ids without a distance learn a scalar each, zero at the start",
      .need = Need::distance,
      .past_range = {PastRange::extend, PastRange::clamp, PastRange::interpolate},
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Alibi>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
