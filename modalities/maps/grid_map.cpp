// SPDX-License-Identifier: Apache-2.0
// modalities/maps: ids, offsets and places of cells.
#include "modalities/maps/grid_map.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace relbias::modalities {
namespace {

constexpr int64_t most_patches = 1 << 14;

// [(2H - 1)(2W - 1), 2] float32, key - query.
Tensor offsets_of_ids(int64_t height, int64_t width) {
  if (height * width == 0) return at::zeros({0, 2});
  return at::cartesian_prod({at::arange(height - 1, -height, -1, at::kFloat),
                             at::arange(width - 1, -width, -1, at::kFloat)});
}

void add_class_ids(RelationMap& map, int64_t ordinary) {
  map.index.select(1, 0).fill_(ordinary + 1);
  if (map.queries == map.keys) {
    map.index.select(0, 0).fill_(ordinary);
    map.index.select(0, 0).select(0, 0).fill_(ordinary + 2);
  }
  map.special = at::cat({at::full({ordinary}, -1, at::kLong), at::arange(3)});
  map.unplaced = at::arange(map.keys) == 0;
}

}  // namespace

RelationMap grid_map(const std::array<int64_t, 2>& sides, bool class_token, int64_t queries) {
  const auto [height, width] = sides;
  const int64_t patches = height * width, first = class_token ? 1 : 0;
  const int64_t ordinary = patches > 0 ? (2 * height - 1) * (2 * width - 1) : 0;
  if (patches > most_patches) {
    input_error("a grid of {}x{} found, at most {} places expected: each pair has an id", height,
                width, most_patches);
  }
  RelationMap map;
  map.index_class = IndexClass::grid;
  map.queries = queries;
  map.keys = patches + first;
  map.rows = ordinary + (class_token ? static_cast<int64_t>(class_token_ids.size()) : 0);
  map.sides = {height, width};

  // Places of all tokens, the class token's at the origin.
  const Tensor patch = at::arange(patches);
  const int64_t columns = std::max<int64_t>(width, 1);
  const Tensor row = at::constant_pad_nd(patch.div(columns, "floor"), {first, 0});
  const Tensor column = at::constant_pad_nd(patch.remainder(columns), {first, 0});
  const auto last_queries = [&](const Tensor& tokens) {
    return tokens.narrow(0, map.keys - queries, queries);
  };
  const auto behind = [&](const Tensor& place) {  // query - key
    return last_queries(place).unsqueeze(1) - place.unsqueeze(0);
  };
  map.index =
      ((behind(row) + (height - 1)) * (2 * width - 1) + behind(column) + (width - 1)).to(at::kInt);
  map.offsets = at::constant_pad_nd(offsets_of_ids(height, width), {0, 0, 0, map.rows - ordinary});
  map.distance = map.offsets.square().sum(1).sqrt();
  map.key_coordinates = at::stack({row, column}, 1).to(at::kFloat).unsqueeze(0);
  map.query_coordinates = last_queries(map.key_coordinates[0]).unsqueeze(0);
  if (class_token) add_class_ids(map, ordinary);
  return map;
}

}  // namespace relbias::modalities
