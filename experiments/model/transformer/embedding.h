// SPDX-License-Identifier: Apache-2.0
// experiments/model/transformer: what a transformer makes of its inputs: ids, frames or patches.
#pragma once

#include <torch/nn/module.h>

#include "encodings/initialiser.h"
#include "modalities/modality.h"

namespace relbias::experiments {

/// Token embeddings of a batch. Ids are rows of one table; several ids a token add up. Real numbers
/// go through a linear map with a bias: a patch or frame embedding.
class Embedding : public torch::nn::Module {
 public:
  /// With `class_token` a learned token stands before all others.
  Embedding(const TaskTraits& task, int64_t width, bool class_token, const Initialiser& initial);

  /// inputs: [B, N] or [B, N, F]; the embeddings [B, N, C], or [B, 1 + N, C] with a class token.
  Tensor forward(const Tensor& inputs) const;

  /// The table of ids, [vocabulary, C]; undefined where inputs are numbers.
  const Tensor& table() const { return table_; }
  c10::Device device() const { return table_.defined() ? table_.device() : projection_.device(); }

 private:
  Tensor table_;        // [vocabulary, C]
  double table_scale_;  // of the rows, where outputs share the table
  Tensor projection_;   // [C, F]
  Tensor bias_;         // [C]
  Tensor class_token_;  // [C]
};

}  // namespace relbias::experiments
