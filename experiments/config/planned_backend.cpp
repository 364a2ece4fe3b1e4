// SPDX-License-Identifier: Apache-2.0
// experiments/config: asks the fused kernel, on the small examples of relations, what it refuses.
#include "experiments/config/planned_backend.h"

#include <ATen/ATen.h>

#include <vector>

#include "encodings/attention/backend.h"
#include "experiments/config/example_context.h"

namespace relbias::experiments {
namespace {

// Whether any term of these encodings is refused; with a mask or without, whichever they allow.
bool is_refused(const ModelConfig& config, bool causal) {
  std::vector<Position> positions;
  EncodingContext context;
  for (const auto& [encoding, relation] : config.positions) {
    context = example_context(find_entry("relation", relation.name(), relation_entries()), causal);
    const auto made = make_encoding(encoding, relation.label(), context, Initialiser(0));
    positions.push_back({context.trained, made->terms(context.trained)});
  }
  AttentionOptions options;
  options.causal = causal;
  options.dropout = config.dropout;
  const auto x = at::zeros({1, context.heads, 1, context.head_width});
  for (const auto& entry : encodings::attention_backends()) {
    if (entry.backend == Backend::fused) {
      return entry.refuses(x, x, x, positions, options).has_value();
    }
  }
  return true;
}

}  // namespace

std::string planned_backend(const ModelConfig& config) {
  if (config.backend != "auto") return config.backend;
  const at::NoGradGuard no_gradients;
  for (const bool causal : {true, false}) {
    try {
      return is_refused(config, causal) ? "reference" : "fused";
    } catch (const InputError&) {
      continue;  // not with this mask, or not at all: then the model says what is wrong
    }
  }
  return "reference";
}

}  // namespace relbias::experiments
