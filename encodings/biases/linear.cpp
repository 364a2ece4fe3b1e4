// SPDX-License-Identifier: Apache-2.0
// encodings/biases: `linear`, a linear map from a relation's real-valued features to a bias.
#include <ATen/ATen.h>

#include "encodings/encoding.h"

namespace relbias::encodings {
namespace {

/// b_h(i,j) = w_h . features(i,j): one weight a head and feature (for paths of edges one weight
/// vector a step; for random walks one weight a step). Dense: O(Q K) memory, as the features are.
/// Ids without features (unreachable, virtual node) learn a scalar each, zero at the start.
///
/// features of two pairs [1 2], [0 1], w = [0.5 -1]: b = -1.5, -1.
class Linear final : public Encoding {
 public:
  Linear(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial) {
    weight_ = learned_table("weight", {context.relation.features});
    learn_special_ids();
  }

 protected:
  Terms compute_terms(const RelationMap& relation) override {
    Terms terms;
    terms.dense = [weight = weight_, features = relation.features](const Tensor&, const Tensor&,
                                                                   const Tensor&) {
      return at::linear(features.to(weight.scalar_type()), weight).permute({0, 3, 1, 2});
    };
    return terms;
  }

 private:
  Tensor weight_;  // [1|H, F]
};

}  // namespace

EncodingEntry encoding_linear() {
  return {
      .formula = "b_h(i,j) = w_h . features(i,j)",
      .source =
          "Ying et al. 2021, Graphormer, eq. 7 (edges along a path); Ma et al. 2023, GRIT (random "
          "walk probabilities)",
      .initial = "N(0, init_std^2)",
      .need = Need::features,
      .init_std = 0.02,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Linear>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
