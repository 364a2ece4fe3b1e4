// SPDX-License-Identifier: Apache-2.0
// tests/golden/graph: distances, degrees, components and Laplacians against networkx; random walks
// and eigenvectors against PyTorch Geometric.
#include <ATen/ATen.h>

#include <cmath>

#include "modalities/graph/graph_structure.h"
#include "modalities/graph/paths.h"
#include "modalities/graph/spectrum.h"
#include "tests/golden/golden_test.h"

namespace relbias::golden {
namespace {

class GraphTest : public GoldenTest {
 protected:
  Structure graph(const Tensor& edges) const {  // [E, 2]
    Structure graph;
    edit_graph(graph).nodes = graph.queries = graph.keys = golden.integer("num_nodes");
    for (int64_t e = 0; e < edges.size(0); ++e) {
      edit_graph(graph).edges.push_back({edges[e][0].item<int64_t>(), edges[e][1].item<int64_t>()});
    }
    return graph;
  }

  void expect_numbers(const std::string& name, const std::vector<int64_t>& found) const {
    if (!golden.has("out/" + name)) return;
    EXPECT_TRUE(at::equal(at::tensor(found, at::kLong), golden.read("out/" + name))) << name;
  }
};

class Networkx : public GraphTest {};

TEST_P(Networkx, HasTheSameDistancesDegreesAndSpectra) {
  Structure sample = graph(golden.read("in/edges"));
  const bool directed = golden.integer("directed") != 0;
  const Tensor hops = golden.read("out/hops");
  EXPECT_TRUE(at::equal(hop_distances(sample, directed).to(at::kLong), hops));
  const std::string text = directed ? "hops clip=100 directed=true" : "hops clip=100";
  const RelationMap map = make_relation(text)->map(sample);
  EXPECT_TRUE(at::equal(map.pair_rows()[0], hops.masked_fill(hops < 0, 101)));

  if (golden.has("in/weights")) {
    const Tensor weights = golden.read("in/weights");
    edit_graph(sample).edge_weights.assign(weights.data_ptr<double>(),
                                           weights.data_ptr<double>() + weights.numel());
    const Tensor expected = golden.read("out/weighted_dist");
    for_weights_of_every_node(sample, directed, [&](int64_t node, const std::vector<double>& row) {
      expect_close("weighted_dist", at::tensor(row, at::kDouble), expected[node], 1e-12);
    });
  }
  expect_numbers("component", components(sample));
  expect_numbers("degree", degrees(sample));
  expect_numbers("out_degree", directed_degrees(sample, 0));
  expect_numbers("in_degree", directed_degrees(sample, 1));
  if (!golden.has("out/normalized_laplacian")) return;
  const Tensor laplacian = normalised_laplacian(sample);
  expect_close("normalized_laplacian", laplacian, golden.read("out/normalized_laplacian"), 1e-12);
  expect_close("laplacian_eigenvalues", at::linalg_eigvalsh(laplacian),
               golden.read("out/laplacian_eigenvalues"), 1e-10);
}
RELBIAS_GOLDEN_TESTS(Networkx, cases("graph_networkx"));

class Geometric : public GraphTest {
 protected:
  // Its edges stand in both directions.
  Structure both_ways() const {
    const Tensor edges = golden.read("in/edge_index").t();
    return graph(edges.index({edges.select(1, 0) < edges.select(1, 1)}));
  }
};

class GeometricWalk : public Geometric {};

TEST_P(GeometricWalk, StaysWithTheSameProbability) {
  const int64_t steps = golden.integer("walk_length");
  const auto relation = make_relation(fmt::format("random-walk gain=1 steps={}", steps));
  const Tensor features = relation->map(both_ways()).features[0];
  expect_close("pe", features.diagonal(0, 0, 1).t(), golden.read("out/pe"), 1e-6);
}
RELBIAS_GOLDEN_TESTS(GeometricWalk, cases("graph_pyg", "rwpe/"));

class GeometricEigenvectors : public Geometric {};

TEST_P(GeometricEigenvectors, AreTheSameButForTheirSignsAndScale) {
  const Structure sample = both_ways();
  const Tensor found = laplacian_coordinates(sample, golden.integer("k")).abs();
  expect_close("abs_pe", found / std::sqrt(static_cast<double>(graph_of(sample).nodes)),
               golden.read("out/abs_pe"), 1e-6);
}
RELBIAS_GOLDEN_TESTS(GeometricEigenvectors, cases("graph_pyg", "lappe/"));

}  // namespace
}  // namespace relbias::golden
