// SPDX-License-Identifier: Apache-2.0
// encodings/biases: `fire`, a learned function of the distance relative to the query's position.
#include <ATen/ATen.h>

#include "encodings/encoding.h"
#include "encodings/shared/small_mlp.h"

namespace relbias::encodings {
namespace {

/// b_h(i,j) = f_h( log(c d + 1) / log(c max(L, i) + 1) ), d = i - j, query positions i from 0; c
/// and L learned. The normaliser depends on the row, so the term is dense: O(Q K) memory. The last
/// query stands at the last key. The parameter `threshold` is L as a factor of its start, so that
/// it learns at the pace of the other parameters.
///
/// c = 1, L = 2, 3 tokens, argument of f:   0 / 0.6309 0 / 1 0.6309 0
class Fire final : public Encoding {
 public:
  Fire(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial) {
    c_ = register_parameter("c", initial.constant({}, options.real("c")));
    threshold_ = register_parameter("threshold", initial.constant({}, 1.0));
    mlp_ = register_module(
        "mlp", std::make_shared<SmallMlp>(MlpShape{1, options.integer("width"), table_heads()},
                                          initial.in("mlp")));
  }

 protected:
  Terms compute_terms(const RelationMap& relation) override {
    Terms terms;
    terms.dense = [this, relation](const Tensor&, const Tensor&, const Tensor&) {
      return bias(relation);
    };
    return terms;
  }

 private:
  Tensor bias(const RelationMap& relation) const {
    const auto type = c_.scalar_type();
    const Tensor query = relation.query_coordinates.select(-1, 0).to(type).unsqueeze(2);
    const Tensor key = relation.key_coordinates.select(-1, 0).to(type).unsqueeze(1);
    const Tensor distance = (query - key).clamp_min(0);  // future keys are masked
    const Tensor c = c_.abs();
    const Tensor limit = (threshold_ * options_.real("L")).abs();
    const Tensor normaliser = (c * at::maximum(query, limit)).log1p().clamp_min(1e-6);
    const Tensor argument = (c * distance).log1p() / normaliser;  // [B|1, Q, K]
    return mlp_->forward(argument.unsqueeze(-1)).permute({0, 3, 1, 2});
  }

  Tensor c_, threshold_;  // []
  std::shared_ptr<SmallMlp> mlp_;
};

std::optional<std::string> not_causal(const Options&, const EncodingContext& context) {
  if (!context.causal) return "is defined for keys at or before the query: needs a causal mask";
  if (context.relation.coordinates == 1 && context.relation.axes == 1) return std::nullopt;
  return "needs one coordinate a token along a line";
}

}  // namespace

EncodingEntry encoding_fire() {
  return {
      .formula =
          "b_h(i,j) = f_h(log(c (i-j) + 1) / log(c max(L, i) + 1)), i from 0, f an MLP 1-width-H",
      .source = "Li et al. 2024, Functional Interpolation for Relative Positions, eq. 9 and 11",
      .initial =
          "c from its option; the parameter threshold is 1, a factor of the option L; f: two "
          "layers, "
          "W1 and b1 ~ U(-1, 1), W2 ~ N(0, 1/width)",
      .need = Need::axes,
      .past_range = {PastRange::extend, PastRange::clamp, PastRange::interpolate},
      .per_head = true,
      .options = {{"L", 512.0, "start of the learned threshold in tokens", {}, 1e-3},
                  {"c", 0.1, "start of the learned slope of the logarithm", {}, 1e-6},
                  {"width", int64_t{32}, "hidden units of f", {}, 1, 65536}},
      .undefined = not_causal,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Fire>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
