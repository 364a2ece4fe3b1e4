// SPDX-License-Identifier: Apache-2.0
// modalities/graph: the families, each a few lines.
#include "modalities/graph/random_graphs.h"
#include "modalities/graph/graph_structure.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace relbias::modalities {
namespace {

Structure nodes_alone(int64_t nodes) {
  Structure graph;
  edit_graph(graph).nodes = graph.queries = graph.keys = nodes;
  graph.cache = std::make_shared<SampleCache>();
  return graph;
}

int64_t some_node(int64_t count, Draw& random) {
  return static_cast<int64_t>(random.below(static_cast<size_t>(count)));
}

// The probability of an edge is itself drawn, so that sparse, dense and broken graphs occur.
Structure erdos_renyi(int64_t nodes, Draw& random) {
  Structure graph = nodes_alone(nodes);
  const double probability = random.unit();
  for (int64_t i = 0; i < nodes; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      if (random.unit() < probability) edit_graph(graph).edges.push_back({j, i});
    }
  }
  return graph;
}

// Every new node joins `joins` earlier ones, more likely those with many neighbours.
Structure barabasi_albert(int64_t nodes, Draw& random) {
  Structure graph = nodes_alone(nodes);
  const int64_t joins =
      1 + some_node(std::max<int64_t>(1, std::min<int64_t>(nodes - 1, 8)), random);
  std::vector<int64_t> ends;
  for (int64_t node = 1; node < nodes; ++node) {
    std::set<int64_t> joined;
    while (static_cast<int64_t>(joined.size()) < std::min(joins, node)) {
      joined.insert(node <= joins || ends.empty() ? some_node(node, random)
                                                  : ends[random.below(ends.size())]);
    }
    for (const int64_t other : joined) {
      edit_graph(graph).edges.push_back({other, node});
      ends.insert(ends.end(), {other, node});
    }
  }
  return graph;
}

// As square as `nodes` lets it be; the last row may be short.
Structure grid_graph(int64_t nodes, Draw&) {
  Structure graph = nodes_alone(nodes);
  const auto width = static_cast<int64_t>(std::sqrt(static_cast<double>(nodes)));
  for (int64_t node = 0; node < nodes; ++node) {
    if (node % width + 1 < width && node + 1 < nodes)
      edit_graph(graph).edges.push_back({node, node + 1});
    if (node + width < nodes) edit_graph(graph).edges.push_back({node, node + width});
  }
  return graph;
}

// Cliques of about sqrt(n) nodes in a ring, joined by one edge.
Structure caveman(int64_t nodes, Draw&) {
  Structure graph = nodes_alone(nodes);
  const auto size = std::max<int64_t>(2, std::llround(std::sqrt(static_cast<double>(nodes))));
  for (int64_t node = 0; node < nodes; ++node) {
    const int64_t first = node / size * size;
    for (int64_t other = first; other < node; ++other)
      edit_graph(graph).edges.push_back({other, node});
    if (node == first && first > 0) edit_graph(graph).edges.push_back({first - 1, first});
  }
  if (nodes > 2 * size) edit_graph(graph).edges.push_back({nodes - 1, 0});
  return graph;
}

Structure ladder(int64_t nodes, Draw&) {
  Structure graph = nodes_alone(nodes);
  for (int64_t node = 0; node < nodes; ++node) {
    if (node % 2 == 1) edit_graph(graph).edges.push_back({node - 1, node});
    if (node >= 2) edit_graph(graph).edges.push_back({node - 2, node});
  }
  return graph;
}

Structure line_graph(int64_t nodes, Draw&) {
  Structure graph = nodes_alone(nodes);
  for (int64_t node = 1; node < nodes; ++node) edit_graph(graph).edges.push_back({node - 1, node});
  return graph;
}

Structure star(int64_t nodes, Draw&) {
  Structure graph = nodes_alone(nodes);
  for (int64_t node = 1; node < nodes; ++node) edit_graph(graph).edges.push_back({0, node});
  return graph;
}

// A spine of a part of the nodes; the others hang from it.
Structure caterpillar(int64_t nodes, Draw& random) {
  Structure graph = nodes_alone(nodes);
  const int64_t spine = 1 + some_node(nodes, random);
  for (int64_t node = 1; node < nodes; ++node) {
    edit_graph(graph).edges.push_back({node < spine ? node - 1 : some_node(spine, random), node});
  }
  return graph;
}

// A caterpillar from whose hanging nodes further ones hang.
Structure lobster(int64_t nodes, Draw& random) {
  Structure graph = nodes_alone(nodes);
  const int64_t spine = 1 + some_node(nodes, random);
  const int64_t inner = spine + some_node(nodes - spine + 1, random);
  for (int64_t node = 1; node < nodes; ++node) {
    const int64_t other = node < spine   ? node - 1
                          : node < inner ? some_node(spine, random)
                                         : some_node(inner, random);
    edit_graph(graph).edges.push_back({other, node});
  }
  return graph;
}

void shuffle_nodes(Structure& graph, Draw& random) {
  std::vector<int64_t> order(static_cast<size_t>(graph_of(graph).nodes));
  for (size_t n = 0; n < order.size(); ++n) {
    const size_t other = random.below(n + 1);
    order[n] = order[other];
    order[other] = static_cast<int64_t>(n);
  }
  for (auto& edge : edit_graph(graph).edges) {
    for (int64_t& end : edge) end = order[static_cast<size_t>(end)];
  }
}

}  // namespace

size_t Draw::below(size_t count) {
  return std::min(count - 1, static_cast<size_t>(unit() * static_cast<double>(count)));
}

double Draw::unit() {
  if (numbers_.empty()) {
    const Tensor block = at::rand({256}, generator_, at::kDouble);
    numbers_.assign(block.data_ptr<double>(), block.data_ptr<double>() + block.numel());
  }
  const double number = numbers_.back();
  numbers_.pop_back();
  return number;
}

Structure random_tree(int64_t nodes, Draw& random) {
  Structure graph = nodes_alone(nodes);
  if (nodes < 2) return graph;
  std::vector<int64_t> sequence(static_cast<size_t>(nodes - 2)),
      uses(static_cast<size_t>(nodes), 0);
  for (int64_t& entry : sequence) ++uses[static_cast<size_t>(entry = some_node(nodes, random))];
  std::set<int64_t> leaves;
  for (int64_t node = 0; node < nodes; ++node) {
    if (uses[static_cast<size_t>(node)] == 0) leaves.insert(node);
  }
  for (const int64_t entry : sequence) {
    edit_graph(graph).edges.push_back({leaves.extract(leaves.begin()).value(), entry});
    if (--uses[static_cast<size_t>(entry)] == 0) leaves.insert(entry);
  }
  edit_graph(graph).edges.push_back({*leaves.begin(), *leaves.rbegin()});
  return graph;
}

void add_random_edges(Structure& graph, int64_t count, Draw& random) {
  std::set<std::array<int64_t, 2>> joined;
  for (const auto& edge : graph_of(graph).edges)
    joined.insert({std::min(edge[0], edge[1]), std::max(edge[0], edge[1])});
  const int64_t room =
      graph_of(graph).nodes * (graph_of(graph).nodes - 1) / 2 - static_cast<int64_t>(joined.size());
  for (count = std::min(count, room); count > 0;) {
    const int64_t a = some_node(graph_of(graph).nodes, random),
                  b = some_node(graph_of(graph).nodes, random);
    if (a == b || !joined.insert({std::min(a, b), std::max(a, b)}).second) continue;
    edit_graph(graph).edges.push_back({std::min(a, b), std::max(a, b)});
    --count;
  }
}

const std::vector<GraphFamily>& graph_families() {
  static const std::vector<GraphFamily> families = {
      {"erdos-renyi", 0.2, erdos_renyi}, {"barabasi-albert", 0.2, barabasi_albert},
      {"grid", 0.05, grid_graph},        {"caveman", 0.05, caveman},
      {"tree", 0.15, random_tree},       {"ladder", 0.05, ladder},
      {"line", 0.05, line_graph},        {"star", 0.05, star},
      {"caterpillar", 0.1, caterpillar}, {"lobster", 0.1, lobster}};
  return families;
}

Structure graph_of_some_family(int64_t nodes, Draw& random) {
  double share = random.unit();
  const GraphFamily* chosen = &graph_families().back();
  for (const auto& family : graph_families()) {
    if (share < family.share) {
      chosen = &family;
      break;
    }
    share -= family.share;
  }
  Structure graph = chosen->make(nodes, random);
  graph.name = fmt::format("a graph of the family {}", chosen->name);
  shuffle_nodes(graph, random);
  return graph;
}

}  // namespace relbias::modalities
