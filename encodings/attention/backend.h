// SPDX-License-Identifier: Apache-2.0
// encodings/attention: the implementations of attention, and what each says before it allocates.
#pragma once

#include <optional>
#include <string>

#include "encodings/attention/attention.h"

namespace relbias::encodings {

/// One implementation. Each answers for itself, so that a new one is one entry more.
struct AttentionBackend {
  Backend backend;
  std::string name;
  /// Why it cannot compute this call, or nothing where it can.
  std::optional<std::string> (*refuses)(const Tensor& q, const Tensor& k, const Tensor& v,
                                        const std::vector<Position>& positions,
                                        const AttentionOptions& options);
  /// The bytes that it holds at once besides its inputs and outputs.
  int64_t (*bytes)(const Tensor& q, const Tensor& k, const Tensor& v,
                   const std::vector<Position>& positions, const AttentionOptions& options);
  AttentionResult (*compute)(const Tensor& q, const Tensor& k, const Tensor& v,
                             const std::vector<Position>& positions,
                             const AttentionOptions& options);
};

/// All implementations of this build, the reference first.
const std::vector<AttentionBackend>& attention_backends();

/// The one that computes the call: as asked, or the reference for `auto`. Throws InputError, with
/// the reason, where the one that was asked for is not there or cannot do it.
const AttentionBackend& backend_for(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const std::vector<Position>& positions,
                                    const AttentionOptions& options);

/// The plain implementation (reference.cpp); inputs have been checked.
AttentionResult reference_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const std::vector<Position>& positions,
                                    const AttentionOptions& options);

}  // namespace relbias::encodings
