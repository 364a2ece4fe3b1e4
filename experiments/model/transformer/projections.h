// SPDX-License-Identifier: Apache-2.0
// experiments/model/transformer: queries, keys and values of every head, from one stream or two.
#pragma once

#include <ATen/core/Tensor.h>

namespace relbias::experiments {

/// What attention reads, [B, H, N, D] each.
struct Projected {
  at::Tensor q, k, v;
};

/// All three from the same tokens, by one product.
Projected projected(const at::Tensor& x,    // [B, N, C]
                    const at::Tensor& qkv,  // [3C, C]: query, key and value below each other
                    int64_t heads);

/// Queries from one stream, keys and values from another. With the parts of the same matrix and the
/// same tokens it gives what the other one does.
Projected projected(const at::Tensor& x,          // [B, N, C]
                    const at::Tensor& other,      // [B, M, C]
                    const at::Tensor& query,      // [C, C]
                    const at::Tensor& key_value,  // [2C, C]
                    int64_t heads);

/// The heads' outputs side by side, [B, H, N, D] -> [B, N, C].
at::Tensor joined_heads(const at::Tensor& out);

}  // namespace relbias::experiments
