// SPDX-License-Identifier: Apache-2.0
// experiments/run/record: the weights of a trained model as a record keeps them.
#include "experiments/run/record/weights.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace relbias::experiments {
namespace {

std::vector<std::pair<std::string, Tensor>> arrays_of(const Model& model) {
  std::vector<std::pair<std::string, Tensor>> arrays;
  for (const auto& item : model.named_parameters()) arrays.emplace_back(item.key(), item.value());
  for (const auto& item : model.named_buffers()) arrays.emplace_back(item.key(), item.value());
  return arrays;
}

}  // namespace

std::vector<Weights> weights_of(const Model& model) {
  std::vector<Weights> all;
  for (const auto& [name, tensor] : arrays_of(model)) {
    const Tensor values = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
    const float* const begin = values.data_ptr<float>();
    all.push_back({name, values.sizes().vec(), {begin, begin + values.numel()}});
  }
  return all;
}

void load_weights(const std::vector<Weights>& weights, Model& model) {
  const at::NoGradGuard no_gradients;
  for (const auto& [name, tensor] : arrays_of(model)) {
    const auto found = std::ranges::find(weights, name, &Weights::name);
    if (found == weights.end()) input_error("the weights have no {}", name);
    if (tensor.sizes() != at::IntArrayRef(found->shape)) {
      input_error("the weights {} have shape ({}), ({}) expected", name,
                  fmt::join(found->shape, ", "), fmt::join(tensor.sizes().vec(), ", "));
    }
    const Tensor values = at::from_blob(const_cast<float*>(found->values.data()), found->shape,
                                        at::kFloat);  // only read
    Tensor(tensor).copy_(values);
  }
}

}  // namespace relbias::experiments
