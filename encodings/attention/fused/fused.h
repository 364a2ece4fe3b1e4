// SPDX-License-Identifier: Apache-2.0
// encodings/attention/fused: attention that never holds a matrix of all pairs, on the CPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "encodings/attention/attention.h"

namespace relbias::encodings {

/// Why the kernel cannot compute this call, or nothing where it can: float32 or bfloat16 on a CPU,
/// without dropout and dense terms.
std::optional<std::string> fused_refuses(const Tensor& q, const Tensor& k, const Tensor& v,
                                         const std::vector<Position>& positions,
                                         const AttentionOptions& options);

/// The bytes that a call holds besides its inputs and outputs: what each thread keeps for its
/// tiles, the gradients of tables unit by unit, and two numbers a query.
int64_t fused_bytes(const Tensor& q, const Tensor& k, const Tensor& v,
                    const std::vector<Position>& positions, const AttentionOptions& options);

/// attention() by tiles (fused/kernel.h): O(n) memory besides the ids that a relation itself keeps
/// a pair, exact softmax in float32, gradients of q, k, v and of every table. Results and gradients
/// are the same bit by bit for any number of threads. Weights are not returned.
AttentionResult fused_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                const std::vector<Position>& positions,
                                const AttentionOptions& options);

}  // namespace relbias::encodings
