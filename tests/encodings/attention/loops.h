// SPDX-License-Identifier: Apache-2.0
// tests: attention with every position term as nested loops over the formula of terms.h.
#pragma once

#include <vector>

#include "encodings/attention/attention.h"

namespace relbias::encodings {

/// out [B, H, Q, Dv] in float64, computed without a single ATen operation on whole tensors.
/// Rotations and dense terms are left out.
at::Tensor loops_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const std::vector<Position>& positions, const AttentionOptions& options);

}  // namespace relbias::encodings
