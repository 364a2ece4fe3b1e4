// SPDX-License-Identifier: Apache-2.0
// tests: shortest paths, degrees and components on graphs that can be worked by hand.
#include "modalities/graph/paths.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "modalities/graph/random_graphs.h"
#include "modalities/seed.h"
#include "tests/modalities/graph/graphs.h"

namespace relbias::modalities {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor weighted_distances(const Structure& graph, bool directed) {
  std::vector<Tensor> rows;
  for_weights_of_every_node(graph, directed, [&](int64_t, const std::vector<double>& weights) {
    rows.push_back(at::tensor(weights, at::kDouble));
  });
  return at::stack(rows);
}

// Seen elsewhere: unreachable taken for near, or for a huge distance.
TEST(Paths, UnreachableIsNeitherNearNorFar) {
  const Structure graph = graph_of(5, {{0, 1}, {1, 2}});
  EXPECT_MATRIX(hop_distances(graph, false), matrix({{0, 1, 2, -1, -1},
                                                     {1, 0, 1, -1, -1},
                                                     {2, 1, 0, -1, -1},
                                                     {-1, -1, -1, 0, -1},
                                                     {-1, -1, -1, -1, 0}}));
  EXPECT_THAT(components(graph), ElementsAre(0, 0, 0, 1, 2));
  EXPECT_EQ(component_count(graph), 3);
}

// Seen elsewhere: errors of shape for one node or no edges.
TEST(Paths, OneNodeAndNone) {
  EXPECT_MATRIX(hop_distances(graph_of(1, {}), false), matrix({{0}}));
  EXPECT_EQ(hop_distances(graph_of(3, {{0, 1}}), false).size(0), 3);
  EXPECT_EQ(hop_distances(graph_of(0, {}), false).numel(), 0);
  EXPECT_EQ(component_count(graph_of(0, {})), 0);
}

TEST(Paths, DirectedStepsGoOneWay) {
  const Structure graph = graph_of(3, {{0, 1}, {1, 2}});
  EXPECT_MATRIX(hop_distances(graph, true), matrix({{0, 1, 2}, {-1, 0, 1}, {-1, -1, 0}}));
  EXPECT_THAT(directed_degrees(graph, 0), ElementsAre(1, 1, 0));
  EXPECT_THAT(directed_degrees(graph, 1), ElementsAre(0, 1, 1));
}

TEST(Paths, TheLightestPathMayBeTheLonger) {
  const Structure graph = graph_of(4, {{0, 1}, {1, 2}, {0, 2}}, {1, 1.5, 4});
  EXPECT_MATRIX(weighted_distances(graph, false),
                matrix({{0, 1, 2.5, -1}, {1, 0, 1.5, -1}, {2.5, 1.5, 0, -1}, {-1, -1, -1, 0}}));
  EXPECT_EQ(weighted_distances(graph, true)[2][0].item<double>(), -1);
}

TEST(Paths, SelfLoopsAndRepeatedEdgesChangeNoDistance) {
  const Structure plain = graph_of(3, {{0, 1}, {1, 2}});
  const Structure more = graph_of(3, {{0, 1}, {1, 1}, {1, 2}, {1, 0}, {1, 2}});
  EXPECT_TRUE(at::equal(hop_distances(plain, false), hop_distances(more, false)));
  EXPECT_THAT(degrees(more), ElementsAre(2, 6, 2));  // a loop has two ends
}

TEST(Paths, WhatIsWrongIsNamed) {
  Structure graph = graph_of(3, {{0, 1}, {1, 3}});
  graph.name = "graph 17";
  EXPECT_EQ(error_of([&] { hop_distances(graph, false); }),
            "graph 17: edge 1 is 1-3, its nodes are 0 to 2");
  EXPECT_THAT(error_of([&] { degrees(graph_of(2, {{-1, 0}})); }), HasSubstr("edge 0 is -1-0"));
  EXPECT_THAT(error_of([&] {
                weighted_distances(graph_of(2, {{0, 1}}, {-2}), false);
              }),
              HasSubstr("edge 0 (0-1) has the weight -2, a number from 0 to 1e+18 expected"));
  EXPECT_THAT(error_of([&] {
                weighted_distances(graph_of(2, {{0, 1}}, {NAN}), false);
              }),
              HasSubstr("has the weight nan"));
  EXPECT_THAT(error_of([&] {
                weighted_distances(graph_of(2, {{0, 1}}, {1, 2}), false);
              }),
              HasSubstr("2 edge weights found, one for each of 1 edges expected"));
}

// Two of them would be no path at all.
TEST(Paths, WeightsWhoseSumIsInfiniteAreRefused) {
  for (const double weight : {1e308, 1.1e18, static_cast<double>(INFINITY)}) {
    const Structure graph = graph_of(3, {{0, 1}, {1, 2}}, {1, weight});
    EXPECT_EQ(error_of([&] { weighted_distances(graph, false); }),
              fmt::format("a graph: edge 1 (1-2) has the weight {}, a number from 0 to 1e+18 "
                          "expected",
                          weight));
  }
  const Structure largest = graph_of(3, {{0, 1}, {1, 2}}, {1e18, 1e18});
  EXPECT_EQ(weighted_distances(largest, false)[0][2].item<double>(), 2e18);
}

// Seen elsewhere: path features that fill the memory unannounced.
TEST(Paths, MemoryIsEstimatedBeforeItIsTaken) {
  EXPECT_EQ(pair_bytes(500, 20 * 3, 8), 120'000'000);
  EXPECT_EQ(32 * pair_bytes(500, 20 * 3, 8), 3'840'000'000);
  Structure graph = graph_of(20'000, {{0, 1}});
  graph.name = "graph 17";
  EXPECT_EQ(error_of([&] { hop_distances(graph, false); }),
            "graph 17 of 20000 nodes: hop distances need 1600000000 bytes for its pairs, at most "
            "268435456 expected");
}

double seconds_of(const std::function<void()>& act) {
  const auto start = std::chrono::steady_clock::now();
  act();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Printed, not judged: another machine has another clock.
TEST(Paths, WhatAllPairsCost) {
  at::Generator generator = stream(1, "cost of paths");
  Draw random(generator);
  std::vector<Structure> molecules;
  for (int n = 0; n < 5000; ++n) {  // as molecules are: 16 nodes, trees with a ring or two
    molecules.push_back(random_tree(16, random));
    add_random_edges(molecules.back(), 2, random);
  }
  int64_t sum = 0;
  const auto count = [&](int64_t, const std::vector<int32_t>& hops) { sum += hops.back(); };
  std::printf("all pairs of 5,000 graphs of 16 nodes: %.3f s\n", seconds_of([&] {
                for (const auto& graph : molecules) for_hops_of_every_node(graph, false, count);
              }));
  Structure sparse = random_tree(3000, random);
  add_random_edges(sparse, 1500, random);
  std::printf("all pairs of 3,000 nodes and 4,499 edges: %.3f s\n",
              seconds_of([&] { for_hops_of_every_node(sparse, false, count); }));
  EXPECT_GT(sum, 0);
}

}  // namespace
}  // namespace relbias::modalities
