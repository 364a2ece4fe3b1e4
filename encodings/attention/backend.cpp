// SPDX-License-Identifier: Apache-2.0
// encodings/attention: which implementations there are, and the choice among them.
#include "encodings/attention/backend.h"

#include <c10/util/Exception.h>

#include "encodings/attention/fused/fused.h"
#include "encodings/attention/memory.h"

namespace relbias::encodings {
namespace {

std::optional<std::string> refuses_nothing(const Tensor&, const Tensor&, const Tensor&,
                                           const std::vector<Position>&, const AttentionOptions&) {
  return std::nullopt;
}

int64_t reference_bytes(const Tensor& q, const Tensor& k, const Tensor&,
                        const std::vector<Position>& positions, const AttentionOptions& options) {
  return reference_memory(q, k, positions, options).bytes;
}

}  // namespace

const std::vector<AttentionBackend>& attention_backends() {
  static const std::vector<AttentionBackend> all{
      {Backend::reference, "reference", refuses_nothing, reference_bytes, reference_attention},
      {Backend::fused, "fused", fused_refuses, fused_bytes, fused_attention}};
  return all;
}

const AttentionBackend& backend_for(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const std::vector<Position>& positions,
                                    const AttentionOptions& options) {
  const Backend wanted =
      options.backend == Backend::automatic ? Backend::reference : options.backend;
  for (const auto& entry : attention_backends()) {
    if (entry.backend != wanted) continue;
    if (const auto reason = entry.refuses(q, k, v, positions, options)) {
      input_error("backend {} cannot compute this: {}; use backend auto or reference", entry.name,
                  *reason);
    }
    return entry;
  }
  TORCH_INTERNAL_ASSERT(false, "a backend without an entry");
}

Backend backend_from(const std::string& word) {
  if (word == "auto") return Backend::automatic;
  if (word == "reference") return Backend::reference;
  if (word == "fused") return Backend::fused;
  unknown_word("backend", word, {"auto", "reference", "fused"});
}

}  // namespace relbias::encodings
