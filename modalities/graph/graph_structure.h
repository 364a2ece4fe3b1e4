// SPDX-License-Identifier: Apache-2.0
// modalities/graph: what a sample knows of its graph.
#pragma once

#include <array>
#include <vector>

#include "modalities/relation.h"

namespace relbias::modalities {

/// Tokens are the nodes; a virtual node is a class token.
struct GraphStructure final : Payload {
  int64_t nodes = 0;
  std::vector<std::array<int64_t, 2>> edges;
  bool both_ways = false;  // each edge was given in both directions: `directed` changes nothing
  std::vector<double> edge_weights;
  Tensor edge_features;  // [E, F]
  Tensor hops;           // [N, N] int64 steps from i to j where given instead of edges, -1 none
};

/// The graph of a sample, one without nodes where it has none. Lives as long as the sample.
inline const GraphStructure& graph_of(const Structure& sample) {
  return payload_of<GraphStructure>(sample);
}
/// The same to be filled in; other samples that shared it keep theirs.
inline GraphStructure& edit_graph(Structure& sample) {
  return edit_payload<GraphStructure>(sample);
}

}  // namespace relbias::modalities
