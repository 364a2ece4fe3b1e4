// SPDX-License-Identifier: Apache-2.0
// modalities/maps: offsets and places on a line.
#include "modalities/maps/line_map.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace relbias::modalities {

RelationMap line_map(int64_t queries, int64_t keys) {
  RelationMap map;
  map.queries = queries;
  map.keys = keys;
  map.rows = std::max<int64_t>(queries + keys - 1, 0);
  const Tensor offset = at::arange(map.rows, at::kFloat) - static_cast<double>(keys - 1);
  map.offsets = offset.unsqueeze(1);
  map.distance = offset.abs();
  map.key_coordinates = at::arange(keys, at::kFloat).view({1, keys, 1});
  map.query_coordinates = at::arange(keys - queries, keys, at::kFloat).view({1, queries, 1});
  map.sides = {keys};
  return map;
}

std::vector<int64_t> line_key(const Structure& sample) { return {sample.queries, sample.keys}; }

}  // namespace relbias::modalities
