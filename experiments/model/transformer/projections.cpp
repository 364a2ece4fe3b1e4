// SPDX-License-Identifier: Apache-2.0
// experiments/model/transformer: projections cut into heads.
#include "experiments/model/transformer/projections.h"

#include <ATen/ATen.h>

namespace relbias::experiments {
namespace {

// [B, N, parts C] -> one [B, H, N, D] a part.
std::vector<at::Tensor> parts_of(const at::Tensor& x, int64_t parts, int64_t heads) {
  const int64_t width = x.size(2) / (parts * heads);
  return x.unflatten(2, {parts, heads, width}).permute({2, 0, 3, 1, 4}).unbind(0);
}

}  // namespace

Projected projected(const at::Tensor& x, const at::Tensor& qkv, int64_t heads) {
  const auto parts = parts_of(at::linear(x, qkv), 3, heads);
  return {parts[0], parts[1], parts[2]};
}

Projected projected(const at::Tensor& x, const at::Tensor& other, const at::Tensor& query,
                    const at::Tensor& key_value, int64_t heads) {
  const auto parts = parts_of(at::linear(other, key_value), 2, heads);
  return {parts_of(at::linear(x, query), 1, heads)[0], parts[0], parts[1]};
}

at::Tensor joined_heads(const at::Tensor& out) { return out.transpose(1, 2).flatten(2); }

}  // namespace relbias::experiments
