// SPDX-License-Identifier: Apache-2.0
// experiments/config: what encodings are on the small examples of relations.
#include "experiments/config/example_context.h"

namespace relbias::experiments {

EncodingContext example_context(const RelationEntry& relation, bool causal) {
  const auto example = relation.make(parse_options("relation", relation.name, relation.options));
  return {.heads = 2,
          .head_width = 8,
          .width = 16,
          .causal = causal,
          .relation = example->traits(),
          .trained = example->map(example->structure(std::nullopt, std::nullopt))};
}

bool has_parameters(const Options& encoding, const Options& relation) {
  if (!encoding.has("encoding_rate")) return false;
  const auto& entry = find_entry("relation", relation.name(), relation_entries());
  for (const bool causal : {true, false}) {
    const EncodingContext context = example_context(entry, causal);
    if (undefined_reason(encoding, relation.label(), context)) continue;
    try {
      return !make_encoding(encoding, relation.label(), context, Initialiser(0))
                  ->parameters()
                  .empty();
    } catch (const InputError&) {
      break;
    }
  }
  return true;  // the model says what is wrong with it
}

}  // namespace relbias::experiments
