// SPDX-License-Identifier: Apache-2.0
// tests: small graphs, and matrices to hold against them.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "modalities/graph/graph_structure.h"
#include "modalities/relation.h"
#include "tests/error_of.h"

namespace relbias::modalities {

inline Structure graph_of(int64_t nodes, std::vector<std::array<int64_t, 2>> edges,
                          std::vector<double> weights = {}) {
  Structure graph;
  edit_graph(graph).nodes = graph.queries = graph.keys = nodes;
  edit_graph(graph).edges = std::move(edges);
  edit_graph(graph).edge_weights = std::move(weights);
  return graph;
}

/// The graph with a virtual node before the others, as a model with a class token makes it.
inline Structure with_virtual(Structure graph) {
  graph.class_token = true;
  ++graph.queries;
  ++graph.keys;
  return graph;
}

/// A matrix from its rows, written out.
inline at::Tensor matrix(std::initializer_list<std::initializer_list<double>> rows) {
  std::vector<double> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  return at::tensor(flat, at::kDouble).view({static_cast<int64_t>(rows.size()), -1});
}

#define EXPECT_MATRIX(found, expected)                                    \
  EXPECT_TRUE(at::allclose((found).to(at::kDouble), (expected), 0, 2e-6)) \
      << (found) << "\nexpected\n"                                        \
      << (expected)

}  // namespace relbias::modalities
