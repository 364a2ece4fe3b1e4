// SPDX-License-Identifier: Apache-2.0
// tests: relation `hops`: worked examples, options, virtual nodes, wrong input.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "modalities/graph/graph_structure.h"
#include "modalities/graph/node_pairs.h"
#include "tests/modalities/graph/graphs.h"

namespace relbias::modalities {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RelationMap map_of(const std::string& relation) {
  const auto made = make_relation(relation);
  return made->map(made->structure(std::nullopt, std::nullopt));
}

at::Tensor ids_of(const std::string& relation) { return map_of(relation).pair_rows()[0]; }

TEST(Hops, WorkedExample) {
  const RelationMap map = map_of("hops clip=3 edges=0-1,1-2 nodes=4");
  EXPECT_MATRIX(map.pair_rows()[0],
                matrix({{0, 1, 2, 4}, {1, 0, 1, 4}, {2, 1, 0, 4}, {4, 4, 4, 0}}));
  EXPECT_EQ(map.rows, 5);
  EXPECT_EQ(map.index.scalar_type(), at::kByte);
  EXPECT_MATRIX(map.distance.unsqueeze(0), matrix({{0, 1, 2, 3, 0}}));
  EXPECT_MATRIX(map.special.unsqueeze(0), matrix({{-1, -1, -1, -1, 0}}));
}

// Seen elsewhere: unreachable taken for near, or for a huge distance.
TEST(Hops, UnreachableSurvivesClipping) {
  EXPECT_MATRIX(ids_of("hops edges=0-1,1-2 nodes=5").narrow(0, 0, 1), matrix({{0, 1, 2, 21, 21}}));
  EXPECT_MATRIX(ids_of("hops clip=1 edges=0-1,1-2 nodes=5").narrow(0, 0, 1),
                matrix({{0, 1, 1, 2, 2}}));
}

TEST(Hops, AVirtualNodeHasIdsOfItsOwn) {
  const RelationMap map = map_of("hops clip=3 edges=0-1,1-2 nodes=4 virtual_node=true");
  EXPECT_MATRIX(
      map.pair_rows()[0],
      matrix(
          {{7, 5, 5, 5, 5}, {6, 0, 1, 2, 4}, {6, 1, 0, 1, 4}, {6, 2, 1, 0, 4}, {6, 4, 4, 4, 0}}));
  EXPECT_EQ(map.rows, 8);
  EXPECT_MATRIX(map.special.unsqueeze(0), matrix({{-1, -1, -1, -1, 0, 1, 2, 3}}));
  EXPECT_EQ(map.key_coordinates[0][0].abs().sum().item<float>(), 0);
  EXPECT_TRUE(map.unplaced[0].item<bool>());
  EXPECT_EQ(map.unplaced.sum().item<int64_t>(), 1);
  EXPECT_EQ(special_pairs().size(), 4u);
}

TEST(Hops, AModelsClassTokenIsTheVirtualNode) {
  const auto hops = make_relation("hops clip=3");
  const RelationMap map = hops->map(with_virtual(graph_of(2, {{0, 1}})));
  EXPECT_MATRIX(map.pair_rows()[0], matrix({{7, 5, 5}, {6, 0, 1}, {6, 1, 0}}));
  EXPECT_THAT(error_of([&] {
                make_relation("hops virtual_node=true")->map(graph_of(2, {{0, 1}}));
              }),
              HasSubstr("a sample without a virtual node found (model.readout=class"));
}

TEST(Hops, ManyIdsTakeTwoBytes) {
  const RelationMap map = map_of("hops clip=1000 edges=0-1,1-2 nodes=4 virtual_node=true");
  EXPECT_EQ(map.index.scalar_type(), at::kUInt16);
  EXPECT_MATRIX(map.pair_rows()[0], matrix({{1004, 1002, 1002, 1002, 1002},
                                            {1003, 0, 1, 2, 1001},
                                            {1003, 1, 0, 1, 1001},
                                            {1003, 2, 1, 0, 1001},
                                            {1003, 1001, 1001, 1001, 0}}));
  const RelationMap batch = stack({map, map_of("hops clip=1000 edges=0-1 virtual_node=true")}, 6);
  EXPECT_EQ(batch.index.scalar_type(), at::kUInt16);
  EXPECT_EQ(batch.pair_rows()[1][1][2].item<int64_t>(), 1);
  EXPECT_EQ(batch.pair_rows()[1][5][5].item<int64_t>(), 0);
}

TEST(Hops, DirectedAndWeighted) {
  EXPECT_MATRIX(ids_of("hops clip=3 directed=true edges=0-1,1-2"),
                matrix({{0, 1, 2}, {4, 0, 1}, {4, 4, 0}}));
  const RelationMap map = map_of("hops clip=9 weighted=true bin=0.5 edges=0-1:0.2,1-2:0.8,0-2:3");
  EXPECT_MATRIX(map.pair_rows()[0], matrix({{0, 1, 2}, {1, 0, 2}, {2, 2, 0}}));
  EXPECT_EQ(map.distance[2].item<float>(), 1.0f);  // the far end of the bin
  // Weights of 0.1 in bins of 0.1: rounding must not push a sum into the next bin.
  EXPECT_MATRIX(ids_of("hops weighted=true bin=0.1 edges=0-1:0.1,1-2:0.1,2-3:0.1").narrow(0, 0, 1),
                matrix({{0, 1, 2, 3}}));
  EXPECT_TRUE(at::equal(ids_of("hops weighted=true edges=0-1:1,1-2:1 nodes=4"),
                        ids_of("hops edges=0-1,1-2 nodes=4")));
}

// Seen elsewhere: errors of shape for one node or no edges.
TEST(Hops, OneNodeAndNone) {
  EXPECT_MATRIX(ids_of("hops nodes=1"), matrix({{0}}));
  EXPECT_EQ(ids_of("hops nodes=0").numel(), 0);
  EXPECT_MATRIX(ids_of("hops clip=2 nodes=1 virtual_node=true"), matrix({{6, 4}, {5, 0}}));
}

TEST(Hops, DistancesMayBeGiven) {
  Structure sample = graph_of(2, {});
  edit_graph(sample).hops = at::tensor({0, 7, -1, 0}, at::kLong).view({2, 2});
  EXPECT_MATRIX(make_relation("hops clip=3")->map(sample).pair_rows()[0], matrix({{0, 3}, {4, 0}}));
  // Pairs at distance 1 are the edges that coordinates are made of.
  sample = graph_of(3, {});
  edit_graph(sample).hops = at::tensor({0, 1, 2, 1, 0, 1, 2, 1, 0}, at::kLong).view({3, 3});
  EXPECT_TRUE(at::equal(make_relation("hops")->map(sample).key_coordinates,
                        make_relation("hops")->map(graph_of(3, {{0, 1}, {1, 2}})).key_coordinates));
}

// They are steps: no sum of weights can be made of them.
TEST(Hops, GivenDistancesAreNotWeighted) {
  Structure sample = graph_of(2, {{0, 1}}, {2.5});
  sample.name = "graph 17";
  edit_graph(sample).hops = at::tensor({0, 1, 1, 0}, at::kLong).view({2, 2});
  EXPECT_EQ(error_of([&] { make_relation("hops weighted=true")->map(sample); }),
            "relation hops weighted=true: graph 17 has distances in steps, edge weights expected");
}

TEST(Hops, AreComputedOnceAGraph) {
  Structure sample = graph_of(3, {{0, 1}});
  sample.cache = std::make_shared<SampleCache>();
  const auto hops = make_relation("hops");
  const RelationMap first = hops->map(sample);
  const Structure copy = sample;
  EXPECT_TRUE(hops->map(copy).index.is_same(first.index));
  EXPECT_TRUE(hops->map(copy).key_coordinates.is_same(first.key_coordinates));
  EXPECT_FALSE(hops->map(with_virtual(copy)).index.is_same(first.index));
  EXPECT_FALSE(make_relation("hops clip=2")->map(copy).index.is_same(first.index));
}

TEST(Hops, WhatIsWrongIsNamed) {
  EXPECT_THAT(error_of([] { map_of("hops edges=0-1,1=2"); }), HasSubstr("'1=2' found, i-j"));
  EXPECT_THAT(error_of([] { map_of("hops edges=0-1,1-x"); }), HasSubstr("'1-x' found"));
  EXPECT_THAT(error_of([] { map_of("hops edges=0-5 nodes=3"); }),
              HasSubstr("edge 0 is 0-5, its nodes are 0 to 2"));
  EXPECT_THAT(error_of([] { make_relation("hops edges=0-1")->structure(3, 3); }),
              HasSubstr("3 tokens found, 2 expected: its graph has 2 nodes"));
  EXPECT_THAT(error_of([] { make_relation("hops bin=2"); }), HasSubstr("without weighted=true"));
  for (const char* relation : {"hops", "edges", "random-walk"}) {
    const auto make = [&] { make_relation(fmt::format("{} nodes=9223372036854775807", relation)); };
    EXPECT_THAT(error_of(make), HasSubstr("nodes: 9223372036854775807 found, -1 to 1073741824"));
  }
  EXPECT_THAT(error_of([] { map_of("hops weighted=true edges=0-1"); }),
              HasSubstr("has no edge weights"));
  Structure line;
  line.queries = line.keys = 3;
  EXPECT_THAT(error_of([&] { make_relation("hops")->map(line); }),
              HasSubstr("3 tokens found, 0 expected, one for each node of no graph"));
  Structure cached = graph_of(3, {{0, 1}});
  cached.queries = 1;
  EXPECT_THAT(error_of([&] { make_relation("hops")->map(cached); }),
              HasSubstr("nodes have no order"));
}

// Seen elsewhere: path features that fill the memory unannounced.
TEST(Hops, AGraphTooLargeIsRefusedWithItsBytes) {
  Structure graph = graph_of(20'000, {{0, 1}});
  graph.name = "graph 17";
  for (const auto& [relation, bytes] :
       {std::pair{"hops coordinates=0", "400000000"}, std::pair{"edges", "8000000000"},
        std::pair{"random-walk", "12800000000"}}) {
    const std::string message = error_of([&, text = relation] { make_relation(text)->map(graph); });
    EXPECT_THAT(message, HasSubstr("graph 17 of 20000 nodes")) << relation;
    EXPECT_THAT(message, HasSubstr(fmt::format("need {} bytes", bytes))) << relation;
  }
}

}  // namespace
}  // namespace relbias::modalities
