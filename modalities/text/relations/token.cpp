// SPDX-License-Identifier: Apache-2.0
// modalities/text: relation `token`, the offset j - i between two tokens of a sequence.
#include <ATen/ATen.h>

#include "modalities/maps/line_map.h"
#include "modalities/seed.h"

namespace relbias::modalities {
namespace {

/// r(i,j) = j - i, the last query at the last key: query i of Q stands at position K - Q + i.
///
/// Q = K = 3, offsets:   0  1  2      Q = 1, K = 3 (decoding with two cached keys): -2 -1 0
///                      -1  0  1
///                      -2 -1  0
///
/// `randomize=n` gives every sequence positions of its own, sorted, drawn without replacement from
/// 0..n-1, in training and in testing (Ruoss et al. 2023): the offsets of a test are then those of
/// training whatever its length up to n. Three tokens at 1 4 9 have offsets 0 3 8 / -3 0 5 / -8 -5
/// 0.
class TokenRelation final : public Relation {
 public:
  explicit TokenRelation(int64_t randomize) : randomize_(randomize) {}

  RelationTraits traits() const override {
    RelationTraits traits{.axes = 1, .distance = true, .coordinates = 1};
    if (is_random()) {
      traits.index_class = IndexClass::pairs;
      traits.ids = 2 * randomize_ - 1;
    }
    return traits;
  }

  RelationMap map(const Structure& sample) const override {
    return is_random() ? drawn_map(sample) : line_map(sample.queries, sample.keys);
  }

  std::optional<std::vector<int64_t>> map_key(const Structure& sample) const override {
    if (is_random()) return std::nullopt;
    return line_key(sample);
  }

  bool is_random() const override { return randomize_ > 0; }

  Structure with_random_positions(const Structure& sample,
                                  at::Generator& generator) const override {
    if (!is_random()) return sample;
    if (sample.queries > sample.keys) {
      input_error(
          "relation token randomize={}: {} queries and {} keys found, at most as many expected",
          randomize_, sample.queries, sample.keys);
    }
    if (sample.keys > randomize_) {
      input_error("relation token randomize={}: {} tokens found, at most {} expected", randomize_,
                  sample.keys, randomize_);
    }
    Structure placed = sample;
    const Tensor order = at::randperm(randomize_, generator, at::TensorOptions(at::kLong));
    placed.positions = std::get<0>(order.narrow(0, 0, sample.keys).sort());
    return placed;
  }

  Structure structure(std::optional<int64_t> queries, std::optional<int64_t> keys) const override {
    Structure line;
    line.keys = keys.value_or(queries.value_or(4));
    line.queries = queries.value_or(line.keys);
    at::Generator generator = stream(0, "example of token");
    return with_random_positions(line, generator);
  }

 private:
  RelationMap drawn_map(const Structure& sample) const {
    TORCH_INTERNAL_ASSERT(sample.positions.defined(), "positions have not been drawn");
    const int64_t queries = sample.queries, keys = sample.keys;
    // The offsets of all positions that may be drawn.
    RelationMap map = line_map(randomize_, randomize_);
    map.index_class = IndexClass::pairs;
    map.queries = queries;
    map.keys = keys;
    const Tensor key = sample.positions, query = key.narrow(0, keys - queries, queries);
    map.index =
        (key.unsqueeze(0) - query.unsqueeze(1) + (randomize_ - 1)).to(at::kInt).unsqueeze(0);
    map.key_coordinates = key.to(at::kFloat).view({1, keys, 1});
    map.query_coordinates = query.to(at::kFloat).view({1, queries, 1});
    return map;
  }

  int64_t randomize_;  // positions to draw from; 0: none are drawn
};

}  // namespace

RelationEntry relation_token() {
  return {
      .summary = "offset of key j from query i in a sequence, r = j - i",
      .example = "3 tokens: row 0 = 0 1 2, row 1 = -1 0 1, row 2 = -2 -1 0",
      .options = {{"randomize",
                   int64_t{0},
                   "draw every sequence's positions from 0..n-1; 0: no",
                   {},
                   0,
                   1 << 20}},
      .make =
          [](const Options& options) {
            return std::make_unique<TokenRelation>(options.integer("randomize"));
          },
  };
}

}  // namespace relbias::modalities
