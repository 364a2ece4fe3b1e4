// SPDX-License-Identifier: Apache-2.0
// encodings/attention: prediction and refusal of attention that does not fit.
#include "encodings/attention/memory.h"

#include <ATen/ATen.h>
#include <unistd.h>

namespace relbias::encodings {

AttentionMemory reference_memory(const Tensor& q, const Tensor& k,
                                 const std::vector<Position>& positions,
                                 const AttentionOptions& options) {
  AttentionMemory memory{.pairs = 1, .bytes = 0};
  bool beyond = false;
  for (const int64_t extent : {q.size(0), q.size(1), q.size(2), k.size(2)}) {
    beyond |= __builtin_mul_overflow(memory.pairs, extent, &memory.pairs);
  }
  bool added = false;
  for (const auto& position : positions) {
    added |= position.terms.score.defined() || position.terms.dense != nullptr;
  }
  const auto width = static_cast<int64_t>(
      at::elementSize(at::promote_types(q.scalar_type(), at::kFloat)));  // computed in float32
  beyond |= __builtin_mul_overflow(memory.pairs, width * (added ? 3 : 2), &memory.bytes);
  // A byte a pair, of a sample where padding makes them differ; what the caller holds is his.
  const bool made = options.causal || options.valid_keys.defined() || options.window > 0 ||
                    options.groups.defined();
  if (made && !beyond) {
    const int64_t samples = options.valid_keys.defined() ? options.valid_keys.size(0) : 1;
    beyond |= __builtin_add_overflow(memory.bytes, samples * q.size(2) * k.size(2), &memory.bytes);
  }
  if (beyond) input_error("attention of {} x {} tokens is beyond 64 bits", q.size(2), k.size(2));
  return memory;
}

void check_memory(const Tensor& q, const Tensor& k, int64_t bytes, int64_t available) {
  if (bytes <= available) return;
  input_error(
      "attention over {} samples, {} heads, {} queries and {} keys needs {:.1f} GiB, {:.1f} GiB "
      "are there: use fewer samples at once (evaluate.batch_tokens, train.batch) or shorter ones",
      q.size(0), q.size(1), q.size(2), k.size(2), static_cast<double>(bytes) / (1 << 30),
      static_cast<double>(available) / (1 << 30));
}

int64_t main_memory() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
}

}  // namespace relbias::encodings
