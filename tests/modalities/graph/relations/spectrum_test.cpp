// SPDX-License-Identifier: Apache-2.0
// tests: relation `spectrum`: worked examples, what sums to what, and no basis that counts.
#include <gtest/gtest.h>

#include "modalities/graph/spectrum.h"
#include "modalities/seed.h"
#include "tests/modalities/graph/graphs.h"

namespace relbias::modalities {
namespace {

at::Tensor features_of(const std::string& text, const Structure& graph) {
  return make_relation(text)->map(graph).features[0];
}

TEST(Spectrum, WorkedExamples) {
  EXPECT_TRUE(at::allclose(
      features_of("spectrum bins=3 gain=1", graph_of(3, {{0, 1}, {1, 2}}))[0].to(at::kDouble),
      matrix({{.25, .5, .25}, {.353553, 0, -.353553}, {.25, -.5, .25}}), 0, 1e-6));
  EXPECT_TRUE(at::allclose(
      features_of("spectrum bins=3 gain=1", graph_of(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}))[0].to(
          at::kDouble),
      matrix({{.25, .5, .25}, {.25, 0, -.25}, {.25, -.5, .25}, {.25, 0, -.25}}), 0, 1e-6));
}

TEST(Spectrum, FeaturesSumToTheIdentityAndToTheLaplacian) {
  const Structure graph = graph_of(6, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}});
  const at::Tensor found = features_of("spectrum bins=5 gain=1", graph).to(at::kDouble);
  EXPECT_LT((found.sum(2) - at::eye(6, at::kDouble)).abs().max().item<double>(), 1e-6);
  const at::Tensor centre = at::arange(5, at::kDouble) * 0.5;
  EXPECT_LT(((found * centre).sum(2) - normalised_laplacian(graph)).abs().max().item<double>(),
            1e-6);
  EXPECT_NEAR(found[5][5][0].item<double>(), 1, 1e-6);  // alone
}

// A ring has double eigenvalues: coordinates of hops move with the order of its nodes, this not.
TEST(Spectrum, MovesWithTheNodesWhereEigenvaluesRepeat) {
  constexpr int64_t nodes = 6;
  std::vector<std::array<int64_t, 2>> ring;
  for (int64_t node = 0; node < nodes; ++node) ring.push_back({node, (node + 1) % nodes});
  const Structure graph = graph_of(nodes, ring);
  at::Generator generator = stream(3, "ring");
  const at::Tensor place = at::randperm(nodes, generator, at::TensorOptions(at::kLong));
  for (auto& edge : ring) {
    for (int64_t& end : edge) end = place[end].item<int64_t>();
  }
  const at::Tensor before = features_of("spectrum", graph),
                   after = features_of("spectrum", graph_of(nodes, ring));
  EXPECT_LT(
      (after.index_select(0, place).index_select(1, place) - before).abs().max().item<float>(),
      1e-4);
  EXPECT_GT(before.abs().max().item<float>(), 1);
}

TEST(Spectrum, GraphsWithoutEdgesOrNodesAndVirtualNodes) {
  EXPECT_EQ(features_of("spectrum bins=4", graph_of(0, {})).sizes(), at::IntArrayRef({0, 0, 4}));
  const RelationMap map =
      make_relation("spectrum bins=3 gain=1")->map(with_virtual(graph_of(2, {})));
  EXPECT_MATRIX(map.index[0], matrix({{4, 2, 2}, {3, 0, 1}, {3, 1, 0}}));
  EXPECT_EQ(map.features[0][0].abs().sum().item<float>(), 0);
}

}  // namespace
}  // namespace relbias::modalities
