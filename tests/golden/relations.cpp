// SPDX-License-Identifier: Apache-2.0
// tests/golden: relations as the packages have them, where ours align tokens in another way.
#include "tests/golden/relations.h"

#include <ATen/ATen.h>

#include <cmath>

namespace relbias::golden {

RelationMap line(int64_t queries, int64_t keys, int64_t past) {
  const auto token = make_relation("token");
  RelationMap map = token->map(token->structure(queries, keys));
  const auto later =
      static_cast<double>(keys - queries - past);  // than the package has its queries
  map.offsets = map.offsets + later;
  map.distance = map.offsets.abs().squeeze(1);
  map.query_coordinates = map.query_coordinates - later;
  return map;
}

RelationMap at_positions(const Tensor& positions, int64_t length) {
  RelationMap map = line(length);
  map.key_coordinates = (positions.dim() == 2 ? positions.unsqueeze(2) : positions).to(at::kFloat);
  map.query_coordinates = map.key_coordinates;
  return map;
}

RelationMap pairs(const Tensor& offsets) {
  RelationMap map;
  map.index_class = IndexClass::pairs;
  map.queries = offsets.size(1);
  map.keys = offsets.size(2);
  map.rows = offsets.size(0) * map.queries * map.keys;
  map.index = at::arange(map.rows, at::kInt).view({offsets.size(0), map.queries, map.keys});
  map.offsets = offsets.flatten(0, 2).to(at::kFloat);
  map.distance = map.offsets.norm(2, 1);
  return map;
}

Tensor raster(int64_t height, int64_t width, int64_t apart_y, int64_t apart_x) {
  return at::cartesian_prod({at::arange(height) * apart_y, at::arange(width) * apart_x});
}

RelationMap grid(const Tensor& query_places, const Tensor& key_places) {
  const Tensor behind = query_places.unsqueeze(1) - key_places.unsqueeze(0);  // [Q, K, 2]
  // A side of the grid that both stand on; a regular one gives the ids of the published tables.
  const Tensor side =
      at::maximum(std::get<0>(query_places.max(0)), std::get<0>(key_places.max(0))) + 1;
  const auto height = side[0].item<int64_t>(), width = side[1].item<int64_t>();
  RelationMap map;
  map.index_class = IndexClass::grid;
  map.queries = query_places.size(0);
  map.keys = key_places.size(0);
  map.rows = (2 * height - 1) * (2 * width - 1);
  map.index =
      ((behind.select(2, 0) + height - 1) * (2 * width - 1) + behind.select(2, 1) + width - 1)
          .to(at::kInt);
  map.offsets = at::cartesian_prod({height - 1 - at::arange(2 * height - 1),
                                    width - 1 - at::arange(2 * width - 1)})
                    .to(at::kFloat);
  map.distance = map.offsets.norm(2, 1);
  map.query_coordinates = query_places.to(at::kFloat).unsqueeze(0);
  map.key_coordinates = key_places.to(at::kFloat).unsqueeze(0);
  map.sides = {height, width};
  return map;
}

RelationMap grid(int64_t height, int64_t width) {
  return grid(raster(height, width), raster(height, width));
}

RelationMap with_class_token(const RelationMap& patches) {
  RelationMap map = patches;
  ++map.queries;
  ++map.keys;
  map.index = at::constant_pad_nd(patches.index, {1, 0, 1, 0}, static_cast<double>(map.rows));
  map.index.slice(0, 1).select(1, 0).fill_(map.rows + 1);
  map.index.select(0, 0).select(0, 0).fill_(map.rows + 2);
  map.special = at::cat({at::full({map.rows}, -1, at::kLong), at::arange(3)});
  map.offsets = at::constant_pad_nd(patches.offsets, {0, 0, 0, 3});
  map.distance = at::constant_pad_nd(patches.distance, {0, 3});
  map.query_coordinates = at::constant_pad_nd(patches.query_coordinates, {0, 0, 1, 0});
  map.key_coordinates = at::constant_pad_nd(patches.key_coordinates, {0, 0, 1, 0});
  map.unplaced = at::arange(map.keys) == 0;
  map.rows += 3;
  return map;
}

}  // namespace relbias::golden
