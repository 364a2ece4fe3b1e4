// SPDX-License-Identifier: Apache-2.0
// modalities/maps: ids, offsets and places of cells.
#include "modalities/maps/grid_map.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace relbias::modalities {
namespace {

constexpr int64_t most_patches = 1 << 14;

int64_t cells_of(const std::vector<int64_t>& sides) {
  int64_t cells = 1;
  for (const int64_t side : sides) {
    if (__builtin_mul_overflow(cells, side, &cells)) return std::numeric_limits<int64_t>::max();
  }
  return cells;
}

// Ids of ordinary pairs, the product of 2 side - 1.
int64_t ids_of(const std::vector<int64_t>& sides) {
  int64_t ids = 1;
  for (const int64_t side : sides) ids *= 2 * side - 1;
  return ids;
}

// [ids, A] float32, key - query.
Tensor offsets_of_ids(const std::vector<int64_t>& sides, int64_t ids) {
  const auto axes = static_cast<int64_t>(sides.size());
  if (ids == 0) return at::zeros({0, axes});
  std::vector<Tensor> along;
  for (const int64_t side : sides) along.push_back(at::arange(side - 1, -side, -1, at::kFloat));
  return at::cartesian_prod(along).view({ids, axes});
}

// The place of every cell along each axis, [cells] int64.
std::vector<Tensor> places_of(const std::vector<int64_t>& sides, int64_t cells) {
  std::vector<Tensor> places(sides.size());
  Tensor rest = at::arange(cells);
  for (size_t axis = sides.size(); axis-- > 0;) {
    const int64_t side = std::max<int64_t>(sides[axis], 1);
    places[axis] = axis == 0 ? rest : rest.remainder(side);
    rest = rest.div(side, "floor");
  }
  return places;
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

RelationMap grid_map(const std::vector<int64_t>& sides, bool class_token, int64_t queries) {
  const int64_t patches = cells_of(sides), first = class_token ? 1 : 0;
  if (patches > most_patches) {
    input_error("a grid of {} found, at most {} places expected: each pair has an id",
                fmt::join(sides, "x"), most_patches);
  }
  const int64_t ordinary = patches > 0 ? ids_of(sides) : 0;
  RelationMap map;
  map.index_class = IndexClass::grid;
  map.queries = queries;
  map.keys = patches + first;
  map.rows = ordinary + (class_token ? static_cast<int64_t>(class_token_ids.size()) : 0);
  map.sides = sides;

  const auto last_queries = [&](const Tensor& tokens) {
    return tokens.narrow(0, map.keys - queries, queries);
  };
  Tensor index = at::zeros({queries, map.keys}, at::kLong);
  std::vector<Tensor> places = places_of(sides, patches);
  for (size_t axis = 0; axis < sides.size(); ++axis) {
    places[axis] = at::constant_pad_nd(places[axis], {first, 0});  // the class token's: the origin
    const Tensor behind =                                          // query - key
        last_queries(places[axis]).unsqueeze(1) - places[axis].unsqueeze(0);
    index = index * (2 * sides[axis] - 1) + behind + (sides[axis] - 1);
  }
  map.index = index.to(at::kInt);
  map.offsets =
      at::constant_pad_nd(offsets_of_ids(sides, ordinary), {0, 0, 0, map.rows - ordinary});
  map.distance = map.offsets.square().sum(1).sqrt();
  map.key_coordinates = at::stack(places, 1).to(at::kFloat).unsqueeze(0);
  map.query_coordinates = last_queries(map.key_coordinates[0]).unsqueeze(0);
  if (class_token) add_class_ids(map, ordinary);
  return map;
}

std::vector<int64_t> grid_key(const std::vector<int64_t>& sides, const Structure& sample) {
  std::vector<int64_t> key{sample.queries, sample.keys, sample.class_token};
  key.insert(key.end(), sides.begin(), sides.end());
  return key;
}

}  // namespace relbias::modalities
