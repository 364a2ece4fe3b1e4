// SPDX-License-Identifier: Apache-2.0
// An addition that one_file_test.sh puts into modalities/image/relations: three axes.
#include "modalities/maps/grid_map.h"

namespace relbias::modalities {
namespace {

/// r(i,j) = (dz, dy, dx) = place of key j - place of query i, in a box of cells.
///
/// 2x1x2: 4 3 1 0 / 5 4 2 1 / 7 6 4 3 / 8 7 5 4
class Volume final : public Relation {
 public:
  explicit Volume(int64_t side) : side_(side) {}

  RelationTraits traits() const override {
    return {.index_class = IndexClass::grid,
            .axes = 3,
            .distance = true,
            .coordinates = 3,
            .places = {"dz", "dy", "dx"}};
  }
  RelationMap map(const Structure& sample) const override {
    if (sample.sides.size() != 3) {
      input_error("relation volume: tokens with {} sides found, 3 expected", sample.sides.size());
    }
    return grid_map(sample.sides, sample.class_token, sample.queries);
  }
  std::optional<std::vector<int64_t>> map_key(const Structure& sample) const override {
    return grid_key(sample.sides, sample);
  }
  Structure structure(std::optional<int64_t> queries, std::optional<int64_t> keys) const override {
    const int64_t cells = side_ * side_ * side_;
    if (keys.value_or(cells) != cells || queries.value_or(cells) > cells) {
      input_error("relation volume: {} keys found, {} expected", keys.value_or(cells), cells);
    }
    return {.queries = queries.value_or(cells), .keys = cells, .sides = {side_, side_, side_}};
  }

 private:
  int64_t side_;
};

}  // namespace

RelationEntry relation_volume() {
  return {
      .summary = "offset (dz, dy, dx) of key cell j from query cell i",
      .example = "2x1x2: 4 3 1 0 / 5 4 2 1 / 7 6 4 3 / 8 7 5 4",
      .options = {{"side", int64_t{2}, "cells along each axis", {}, 1, 64}},
      .make =
          [](const Options& options) { return std::make_unique<Volume>(options.integer("side")); },
  };
}

}  // namespace relbias::modalities
