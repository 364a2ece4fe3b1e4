// SPDX-License-Identifier: Apache-2.0
// tests: one call of the fused kernel against the reference, numbers and gradients.
#pragma once

#include <vector>

#include "encodings/attention/attention.h"

namespace relbias::encodings {

/// Output and gradients of a call under a random cotangent: out, q, k, v, then each table of each
/// position. Inputs are rounded to float32 first, whatever type computes.
std::vector<Tensor> outcome_of(const std::vector<Tensor>& qkv,
                               const std::vector<Position>& positions, AttentionOptions options,
                               at::ScalarType type, Backend backend);

/// The kernel's error against the reference in float64 is at most twice that of the reference in
/// float32 and two roundings of the largest number of the call, as root of the mean square; a
/// single number, which is chance, is at most 4 times as far off and 4 times the roundings. A score
/// table's gradient sums to zero over each head.
void expect_fused_within_budget(const std::vector<Tensor>& qkv,
                                const std::vector<Position>& positions,
                                const AttentionOptions& options, double times = 2);

}  // namespace relbias::encodings
