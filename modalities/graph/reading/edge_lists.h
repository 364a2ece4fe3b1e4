// SPDX-License-Identifier: Apache-2.0
// modalities/graph/reading: edges as files list them.
#pragma once

#include <string>
#include <vector>

#include "modalities/graph/graph.h"

namespace relbias::modalities {

/// Edges of a graph with their features, one vector each, or none.
struct EdgeList {
  std::vector<std::array<int64_t, 2>> edges;
  std::vector<std::vector<double>> features;
};

/// Puts edges into a graph. Where every edge i-j comes with its j-i of the same features, as files
/// of undirected graphs have them, each pair is kept once, to be walked both ways; `paired` counts
/// such graphs.
void set_edges(Graph& graph, EdgeList list, int64_t& paired);

/// Categories 0..k-1 for the k values that occur, in their order; NaN stays NaN.
std::vector<double> ranked(const std::vector<double>& values, int64_t& categories);

}  // namespace relbias::modalities
