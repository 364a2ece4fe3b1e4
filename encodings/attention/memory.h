// SPDX-License-Identifier: Apache-2.0
// encodings/attention: what a call takes, known before it is taken.
#pragma once

#include <cstdint>
#include <string>

#include "encodings/attention/attention.h"

namespace relbias::encodings {

/// The memory of one attention call.
struct AttentionMemory {
  int64_t pairs = 0;  // B * H * Q * K; 32 heads of 8192 x 8192 are 2^31, one past an int32
  int64_t bytes = 0;  // of the matrices [B, H, Q, K] that the reference holds at once
};

/// The reference holds the scores, the weights, the sum of what is added to the scores, and the
/// mask as a tensor, each if there is one. Throws InputError where the number of pairs is beyond 64
/// bits.
AttentionMemory reference_memory(const Tensor& q, const Tensor& k,
                                 const std::vector<Position>& positions,
                                 const AttentionOptions& options);

/// Throws InputError, with shape and bytes, where a call that needs `bytes` would take more than
/// `available`.
void check_memory(const Tensor& q, const Tensor& k, int64_t bytes, int64_t available);

/// The main memory of this machine in bytes.
int64_t main_memory();

}  // namespace relbias::encodings
