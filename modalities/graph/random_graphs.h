// SPDX-License-Identifier: Apache-2.0
// modalities/graph: random graphs of several families.
#pragma once

#include <string>
#include <vector>

#include "modalities/relation.h"

namespace relbias::modalities {

/// Whole and real numbers from a random stream, drawn in blocks: a tensor a number is slow.
class Draw {
 public:
  explicit Draw(at::Generator& generator) : generator_(generator) {}
  /// Uniform in 0..count-1.
  size_t below(size_t count);
  /// Uniform in [0, 1).
  double unit();

 private:
  at::Generator& generator_;
  std::vector<double> numbers_;
};

/// Every labelled tree of n >= 1 nodes equally likely, by its Prüfer sequence: the sequence 3 3 of
/// 4 nodes is the star 0-3, 1-3, 2-3.
Structure random_tree(int64_t nodes, Draw& random);

/// `count` edges between nodes that were not joined, or fewer where no more fit.
void add_random_edges(Structure& graph, int64_t count, Draw& random);

/// Families of GraphTheoryProp (Corso et al. 2020, PNA), by name.
struct GraphFamily {
  std::string name;
  double share;  // of all graphs
  Structure (*make)(int64_t nodes, Draw& random);
};

/// erdos-renyi .2, barabasi-albert .2, grid .05, caveman .05, tree .15, ladder .05, line .05, star
/// .05, caterpillar .1, lobster .1. Graphs have exactly the nodes asked for, in a random order.
const std::vector<GraphFamily>& graph_families();
Structure graph_of_some_family(int64_t nodes, Draw& random);

}  // namespace relbias::modalities
