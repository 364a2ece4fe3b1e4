// SPDX-License-Identifier: Apache-2.0
// tests: samples of equal keys have equal maps, whatever else tells them apart.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "modalities/graph/graph_structure.h"
#include "modalities/relation.h"

namespace relbias::modalities {
namespace {

bool same(const at::Tensor& a, const at::Tensor& b) {
  return a.defined() == b.defined() && (!a.defined() || at::equal(a, b));
}

bool same_maps(const RelationMap& a, const RelationMap& b) {
  return a.queries == b.queries && a.keys == b.keys && a.rows == b.rows && a.sides == b.sides &&
         a.unit_seconds == b.unit_seconds && same(a.index, b.index) && same(a.offsets, b.offsets) &&
         same(a.distance, b.distance) && same(a.special, b.special) &&
         same(a.features, b.features) && same(a.query_coordinates, b.query_coordinates) &&
         same(a.key_coordinates, b.key_coordinates) && same(a.unplaced, b.unplaced);
}

// The sample with one thing changed at a time; some are no samples of the relation.
std::vector<Structure> variants(const Structure& sample) {
  std::vector<Structure> all(7, sample);
  --all[0].queries;
  --all[1].queries, --all[1].keys;
  all[2].hop_seconds += 0.5;
  all[3].class_token = !sample.class_token;
  all[4].positions = at::arange(sample.keys) * 2;
  if (!sample.sides.empty()) std::reverse(all[5].sides.begin(), all[5].sides.end());
  if (sample.sides.empty()) all[5].sides = {sample.keys, 1};
  auto& graph = edit_graph(all[6]);
  graph.nodes = sample.keys;
  graph.edges = {{0, 1}};
  return all;
}

TEST(MapKey, EqualKeysMeanEqualMaps) {
  int keyed = 0;
  for (const auto& entry : relation_entries()) {
    const auto relation = make_relation(entry.name);
    Structure sample = relation->structure(std::nullopt, std::nullopt);
    if (entry.name == "grid") {
      sample.sides = {2, 3};
      sample.queries = sample.keys = 6;
    }
    const auto key = relation->map_key(sample);
    if (!key) continue;
    ++keyed;
    const RelationMap map = relation->map(sample);
    for (const Structure& other : variants(sample)) {
      const auto its = relation->map_key(other);
      if (!its || *its != *key) continue;
      EXPECT_TRUE(same_maps(relation->map(other), map)) << entry.name;
    }
  }
  EXPECT_EQ(keyed, 4);  // token, time, grid, time-frequency
}

TEST(MapKey, WhatNumbersDoNotHoldHasNone) {
  for (const char* text : {"hops", "edges", "random-walk", "tree", "token randomize=9"}) {
    const auto relation = make_relation(text);
    EXPECT_FALSE(relation->map_key(relation->structure(std::nullopt, std::nullopt))) << text;
  }
}

TEST(Payload, IsSharedByCopiesUntilOneIsEdited) {
  Structure first;
  edit_graph(first).edges = {{0, 1}};
  const void* const before = first.payload.get();
  edit_graph(first).nodes = 2;
  EXPECT_EQ(first.payload.get(), before);  // its own: nothing is copied
  Structure second = first;
  EXPECT_EQ(&graph_of(second), &graph_of(first));
  edit_graph(second).edges.push_back({1, 2});
  EXPECT_EQ(graph_of(first).edges.size(), 1u);
  EXPECT_EQ(graph_of(second).edges.size(), 2u);
  EXPECT_EQ(graph_of(second).nodes, 2);
  EXPECT_EQ(graph_of(Structure{}).nodes, 0);
}

}  // namespace
}  // namespace relbias::modalities
