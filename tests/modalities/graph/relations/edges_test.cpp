// SPDX-License-Identifier: Apache-2.0
// tests: relation `edges`: means over steps and over paths.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "modalities/graph/graph_structure.h"
#include "tests/modalities/graph/graphs.h"

namespace relbias::modalities {
namespace {

using ::testing::HasSubstr;

RelationMap map_of(const std::string& relation) {
  const auto made = make_relation(relation);
  return made->map(made->structure(std::nullopt, std::nullopt));
}

// What a linear map with weights of 1 makes of the steps, [N, N].
at::Tensor sums(const std::string& relation) { return map_of(relation).features[0].sum(2); }

// Seen elsewhere: an average with a shifted divisor.
TEST(Edges, MeanOverThePathAndNothingElse) {
  const std::string graph = " edges=0-1:3,1-2:5 nodes=4";
  EXPECT_MATRIX(sums("edges" + graph),
                matrix({{0, 3, 4, 0}, {3, 0, 5, 0}, {4, 5, 0, 0}, {0, 0, 0, 0}}));
  // A limit of one step: the first edge of the path only, divided by 1.
  EXPECT_MATRIX(sums("edges steps=1" + graph),
                matrix({{0, 3, 3, 0}, {3, 0, 5, 0}, {5, 5, 0, 0}, {0, 0, 0, 0}}));
  const RelationMap map = map_of("edges steps=2" + graph);
  EXPECT_MATRIX(map.features[0][0], matrix({{0, 0}, {3, 0}, {1.5, 2.5}, {0, 0}}));
  // The pair without a path has a scalar of its own.
  EXPECT_MATRIX(map.pair_rows()[0],
                matrix({{0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 1}, {1, 1, 1, 0}}));
  EXPECT_MATRIX(map.special.unsqueeze(0), matrix({{-1, 0, 1, 2, 3}}));
}

TEST(Edges, SeveralShortestPathsGiveTheirMean) {
  // 0-1-3 with 1 and 2, 0-2-3 with 5 and 10.
  const std::string graph = " steps=2 edges=0-1:1,1-3:2,0-2:5,2-3:10";
  EXPECT_MATRIX(map_of("edges" + graph).features[0][0][3].unsqueeze(0), matrix({{1.5, 3}}));
  EXPECT_MATRIX(map_of("edges paths=one" + graph).features[0][0][3].unsqueeze(0),
                matrix({{0.5, 1}}));
  // Repeated edges are paths of their own.
  EXPECT_MATRIX(sums("edges edges=0-1:1,0-1:3"), matrix({{0, 2}, {2, 0}}));
}

TEST(Edges, RelabellingRelabelsFeatures) {
  const auto edges = make_relation("edges steps=3");
  const Structure graph = graph_of(5, {{0, 1}, {1, 2}, {0, 3}, {3, 2}, {2, 4}}, {1, 2, 3, 4, 5});
  const std::vector<int64_t> order = {2, 0, 4, 1, 3};
  Structure moved = graph;
  for (auto& edge : edit_graph(moved).edges) {
    for (auto& end : edge) end = order[static_cast<size_t>(end)];
  }
  const at::Tensor place = at::tensor(order, at::kLong);
  EXPECT_MATRIX(edges->map(moved).features[0].index_select(0, place).index_select(1, place),
                edges->map(graph).features[0].to(at::kDouble));
}

TEST(Edges, DirectionsAndSeveralFeatures) {
  EXPECT_MATRIX(sums("edges directed=true edges=0-1:3,1-2:5"),
                matrix({{0, 3, 4}, {0, 0, 5}, {0, 0, 0}}));
  Structure graph = graph_of(3, {{0, 1}, {1, 2}});
  edit_graph(graph).edge_features = at::tensor({1.f, 2.f, 3.f, 4.f}).view({2, 2});
  const RelationMap map = make_relation("edges steps=2 features=2")->map(with_virtual(graph));
  EXPECT_MATRIX(map.features[0][1][3].unsqueeze(0), matrix({{0.5, 1, 1.5, 2}}));
  EXPECT_EQ(map.features[0][0].abs().sum().item<float>(), 0);
  EXPECT_MATRIX(map.pair_rows()[0].narrow(0, 0, 2), matrix({{4, 2, 2, 2}, {3, 0, 0, 0}}));
  EXPECT_THAT(error_of([&] { make_relation("edges")->map(graph); }),
              HasSubstr("a graph has 2 features an edge, features=1 expected"));
}

TEST(Edges, WithoutFeaturesEveryEdgeCountsOne) {
  EXPECT_MATRIX(sums("edges edges=0-1,1-2 nodes=4"),
                matrix({{0, 1, 1, 0}, {1, 0, 1, 0}, {1, 1, 0, 0}, {0, 0, 0, 0}}));
}

// Others of its dataset have two features an edge; it has no edge to say so.
TEST(Edges, AGraphWithoutEdgesIsAsWideAsOthers) {
  const RelationMap map = make_relation("edges steps=3 features=2")->map(graph_of(3, {}));
  EXPECT_EQ(map.features.sizes(), at::IntArrayRef({1, 3, 3, 6}));
  EXPECT_EQ(map.features.abs().sum().item<float>(), 0);
  EXPECT_MATRIX(map.pair_rows()[0], matrix({{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}));
}

TEST(Edges, VeryManyPathsAreStillFinite) {
  std::string text = "edges steps=4 edges=";
  for (int n = 0; n < 400; ++n) {  // diamonds in a row: 2^400 paths
    const int a = 3 * n;
    text += fmt::format("{}{}-{},{}-{},{}-{},{}-{}", n == 0 ? "" : ",", a, a + 1, a, a + 2, a + 1,
                        a + 3, a + 2, a + 3);
  }
  EXPECT_NEAR(sums(text)[0][1200].item<float>(), 1, 1e-5);
}

TEST(Edges, MorePathsThanCanBeCountedNeedOne) {
  std::string text = "edges=0-1";
  for (int n = 0; n < 520; ++n) {  // every edge four times: 4^520 paths
    for (int times = 0; times < 4; ++times) text += fmt::format(",{}-{}", n, n + 1);
  }
  EXPECT_THAT(error_of([&] { sums("edges steps=1 " + text); }),
              HasSubstr("more than 1e308 shortest paths between two nodes, paths=one expected"));
  EXPECT_EQ(sums("edges steps=1 paths=one " + text)[0][520].item<float>(), 1.f);
}

}  // namespace
}  // namespace relbias::modalities
