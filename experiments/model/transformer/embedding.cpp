// SPDX-License-Identifier: Apache-2.0
// experiments/model/transformer: embedding of ids, frames and patches.
#include "experiments/model/transformer/embedding.h"

#include <ATen/ATen.h>

#include <cmath>

namespace relbias::experiments {

Embedding::Embedding(const TaskTraits& task, int64_t width, bool class_token,
                     const Initialiser& initial) {
  TORCH_INTERNAL_ASSERT((task.vocabulary > 0) != (task.features > 0),
                        "a task has ids or features, not vocabulary ", task.vocabulary,
                        " and features ", task.features);
  // A tied table starts small enough for the output and is scaled up to N(0, 1) for the input.
  const double root = std::sqrt(static_cast<double>(width));
  table_scale_ = task.tied_outputs ? root : 1.0;
  if (task.vocabulary > 0) {
    table_ = register_parameter(
        "table", initial.normal("embedding", {task.vocabulary, width}, 1.0 / table_scale_));
  } else {
    const double deviation = 1.0 / std::sqrt(static_cast<double>(task.features));
    projection_ = register_parameter(
        "projection", initial.normal("embedding", {width, task.features}, deviation));
    bias_ = register_parameter("bias", initial.constant({width}, 0.0));
  }
  if (class_token) {
    class_token_ = register_parameter("class_token", initial.normal("class token", {width}, 1.0));
  }
}

Tensor Embedding::forward(const Tensor& inputs) const {
  Tensor x;
  if (table_.defined()) {
    TORCH_INTERNAL_ASSERT(!inputs.is_floating_point(), "ids expected, numbers found");
    x = at::embedding(table_, inputs);
    if (inputs.dim() == 3) x = x.sum(2);
    if (table_scale_ != 1.0) x = x * table_scale_;
  } else {
    TORCH_INTERNAL_ASSERT(inputs.dim() == 3 && inputs.size(2) == projection_.size(1), "inputs ",
                          inputs.sizes(), ", [B, N, ", projection_.size(1), "] expected");
    x = at::linear(inputs.to(projection_.scalar_type()), projection_, bias_);
  }
  if (!class_token_.defined()) return x;
  return at::cat({class_token_.expand({x.size(0), 1, -1}), x}, 1);
}

}  // namespace relbias::experiments
