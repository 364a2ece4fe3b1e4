// SPDX-License-Identifier: Apache-2.0
// tests: Laplacian coordinates, their signs and what they do when nodes change places.
#include "modalities/graph/spectrum.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tests/modalities/graph/graphs.h"

namespace relbias::modalities {
namespace {

TEST(Laplacian, OfAPath) {
  const double root = std::sqrt(0.5);
  EXPECT_MATRIX(normalised_laplacian(graph_of(3, {{0, 1}, {1, 2}})),
                matrix({{1, -root, 0}, {-root, 1, -root}, {0, -root, 1}}));
}

TEST(Laplacian, IsolatedNodesHaveZeros) {
  EXPECT_MATRIX(normalised_laplacian(graph_of(3, {{0, 1}})),
                matrix({{1, -1, 0}, {-1, 1, 0}, {0, 0, 0}}));
}

TEST(Coordinates, OfAPath) {
  const double a = std::sqrt(1.5), b = std::sqrt(0.75);
  EXPECT_MATRIX(laplacian_coordinates(graph_of(3, {{0, 1}, {1, 2}}), 2),
                matrix({{a, -b}, {0, a}, {a, -b}}));
}

TEST(Coordinates, ThereAreZerosWhereVectorsAreTooFew) {
  EXPECT_TRUE(at::equal(laplacian_coordinates(graph_of(1, {}), 2), at::zeros({1, 2})));
  EXPECT_TRUE(at::equal(laplacian_coordinates(graph_of(4, {}), 2), at::zeros({4, 2})));
  EXPECT_EQ(laplacian_coordinates(graph_of(0, {}), 2).sizes(), (at::IntArrayRef{0, 2}));
  const at::Tensor two = laplacian_coordinates(graph_of(4, {{0, 1}, {2, 3}, {1, 2}}), 8);
  EXPECT_EQ(two.narrow(1, 3, 5).abs().sum().item<float>(), 0);
  EXPECT_GT(two.select(1, 2).abs().sum().item<float>(), 0);
}

// Distinct eigenvalues, some vectors with a sign of their own, some without.
TEST(Coordinates, MoveWithTheNodes) {
  const std::vector<std::array<int64_t, 2>> edges = {{0, 1}, {1, 2}, {2, 3}, {3, 4},
                                                     {1, 5}, {5, 6}, {2, 6}};
  for (const bool ring : {false, true}) {
    auto all = edges;
    if (ring) all.push_back({4, 0});
    const at::Tensor plain = laplacian_coordinates(graph_of(7, all), 3);
    const std::vector<int64_t> order = {3, 6, 0, 5, 1, 4, 2};
    auto moved = all;
    for (auto& edge : moved) {
      for (auto& end : edge) end = order[static_cast<size_t>(end)];
    }
    const at::Tensor found = laplacian_coordinates(graph_of(7, moved), 3);
    EXPECT_TRUE(at::allclose(found.index_select(0, at::tensor(order, at::kLong)), plain, 0, 1e-5))
        << found << plain;
  }
  // A path of an even number of nodes: turned around it is the same, so no sign can be chosen.
  const at::Tensor path = laplacian_coordinates(graph_of(4, {{0, 1}, {1, 2}, {2, 3}}), 1);
  EXPECT_GE(path.min().item<float>(), 0);
  EXPECT_NEAR(path[0][0].item<float>(), path[3][0].item<float>(), 1e-6);
}

}  // namespace
}  // namespace relbias::modalities
