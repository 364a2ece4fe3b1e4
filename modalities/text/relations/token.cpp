// SPDX-License-Identifier: Apache-2.0
// modalities/text: relation `token`, the offset j - i between two tokens of a sequence.
#include <ATen/ATen.h>

#include "modalities/relation.h"

namespace relbias {
namespace {

/// r(i,j) = j - i, the last query at the last key: query i of Q stands at position K - Q + i.
///
/// Q = K = 3, offsets:   0  1  2      Q = 1, K = 3 (decoding with two cached keys): -2 -1 0
///                      -1  0  1
///                      -2 -1  0
class TokenRelation final : public Relation {
 public:
  RelationTraits traits() const override {
    return {.index_class = IndexClass::line, .axes = 1, .distance = true, .coordinates = 1};
  }

  RelationMap map(const Structure& sample) const override {
    const int64_t queries = sample.queries, keys = sample.keys;
    RelationMap map;
    map.queries = queries;
    map.keys = keys;
    map.rows = std::max<int64_t>(queries + keys - 1, 0);
    map.sides = {keys};
    // Whole numbers below 2^24 are exact in float32: longer sequences than that do not occur.
    const Tensor offset = at::arange(map.rows, at::kFloat) - static_cast<double>(keys - 1);
    map.offsets = offset.unsqueeze(1);
    map.distance = offset.abs();
    map.key_coordinates = at::arange(keys, at::kFloat).view({1, keys, 1});
    map.query_coordinates = at::arange(keys - queries, keys, at::kFloat).view({1, queries, 1});
    return map;
  }

  Structure structure(std::optional<int64_t> queries, std::optional<int64_t> keys) const override {
    Structure line;
    line.keys = keys.value_or(queries.value_or(4));
    line.queries = queries.value_or(line.keys);
    return line;
  }
};

}  // namespace

RelationEntry relation_token() {
  return {
      .summary = "offset of key j from query i in a sequence, r = j - i",
      .example = "3 tokens: row 0 = 0 1 2, row 1 = -1 0 1, row 2 = -2 -1 0",
      .options = {},
      .make = [](const Options&) { return std::make_unique<TokenRelation>(); },
  };
}

}  // namespace relbias
