// SPDX-License-Identifier: Apache-2.0
// modalities/graph: searches from every node over compressed rows of edges.
#include "modalities/graph/paths.h"
#include "modalities/graph/graph_structure.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <cmath>
#include <limits>

namespace relbias::modalities {
namespace {

constexpr double most_weight = 1e18;  // no sum of them is infinite, which would be no path

struct Weight {
  double value;
};
using Rows = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Weight>;

Rows rows_of(const Structure& graph, bool directed) {
  const GraphStructure& given = graph_of(graph);
  std::vector<std::pair<size_t, size_t>> arcs;
  std::vector<Weight> weights;
  arcs.reserve(2 * given.edges.size());
  weights.reserve(2 * given.edges.size());
  for (size_t e = 0; e < given.edges.size(); ++e) {
    const auto from = static_cast<size_t>(given.edges[e][0]);
    const auto to = static_cast<size_t>(given.edges[e][1]);
    const Weight weight{given.edge_weights.empty() ? 1.0 : given.edge_weights[e]};
    arcs.emplace_back(from, to);
    weights.push_back(weight);
    if (directed && !given.both_ways) continue;
    arcs.emplace_back(to, from);
    weights.push_back(weight);
  }
  return {boost::edges_are_unsorted_multi_pass, arcs.begin(), arcs.end(), weights.begin(),
          static_cast<size_t>(given.nodes)};
}

}  // namespace

std::string_view graph_name(const Structure& graph) {
  return graph.name.empty() ? std::string_view("a graph") : graph.name;
}

void check_graph(const Structure& graph) {
  const GraphStructure& given = graph_of(graph);
  const auto name = graph_name(graph);
  for (size_t e = 0; e < given.edges.size(); ++e) {
    for (const int64_t end : given.edges[e]) {
      if (end < 0 || end >= given.nodes) {
        input_error("{}: edge {} is {}-{}, its nodes are 0 to {}", name, e, given.edges[e][0],
                    given.edges[e][1], given.nodes - 1);
      }
    }
  }
  if (!given.edge_weights.empty() && given.edge_weights.size() != given.edges.size()) {
    input_error("{}: {} edge weights found, one for each of {} edges expected", name,
                given.edge_weights.size(), given.edges.size());
  }
  for (size_t e = 0; e < given.edge_weights.size(); ++e) {
    if (!(given.edge_weights[e] >= 0 && given.edge_weights[e] <= most_weight)) {
      input_error("{}: edge {} ({}-{}) has the weight {}, a number from 0 to {:g} expected", name,
                  e, given.edges[e][0], given.edges[e][1], given.edge_weights[e], most_weight);
    }
  }
  const Tensor& features = given.edge_features;
  if (features.defined() && features.size(0) != static_cast<int64_t>(given.edges.size())) {
    input_error("{}: features of {} edges found, of {} expected", name, features.size(0),
                given.edges.size());
  }
}

void for_hops_of_every_node(const Structure& graph, bool directed, const HopRow& use) {
  check_graph(graph);
  const auto count = static_cast<size_t>(graph_of(graph).nodes);
  const Rows rows = rows_of(graph, directed);
  std::vector<int32_t> hops(count);
  std::vector<boost::default_color_type> colours(count);
  boost::queue<size_t> waiting;
  for (size_t source = 0; source < count; ++source) {
    std::fill(hops.begin(), hops.end(), -1);
    std::fill(colours.begin(), colours.end(), boost::white_color);
    hops[source] = 0;
    boost::breadth_first_visit(
        rows, source, waiting,
        boost::make_bfs_visitor(boost::record_distances(hops.data(), boost::on_tree_edge())),
        colours.data());
    use(static_cast<int64_t>(source), hops);
  }
}

void for_weights_of_every_node(const Structure& graph, bool directed, const WeightRow& use) {
  check_graph(graph);
  const auto count = static_cast<size_t>(graph_of(graph).nodes);
  const Rows rows = rows_of(graph, directed);
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<double> weights(count);
  for (size_t source = 0; source < count; ++source) {
    boost::dijkstra_shortest_paths(rows, source,
                                   boost::weight_map(get(&Weight::value, rows))
                                       .distance_map(boost::make_iterator_property_map(
                                           weights.begin(), get(boost::vertex_index, rows)))
                                       .distance_inf(none));
    std::replace(weights.begin(), weights.end(), none, -1.0);
    use(static_cast<int64_t>(source), weights);
  }
}

Tensor hop_distances(const Structure& graph, bool directed) {
  check_pair_memory(graph, "hop distances", 1, sizeof(int32_t));
  Tensor distances = at::empty({graph_of(graph).nodes, graph_of(graph).nodes}, at::kInt);
  auto* const first = distances.data_ptr<int32_t>();
  for_hops_of_every_node(graph, directed, [&](int64_t source, const std::vector<int32_t>& hops) {
    std::copy(hops.begin(), hops.end(), first + source * graph_of(graph).nodes);
  });
  return distances;
}

std::vector<int64_t> components(const Structure& graph) {
  check_graph(graph);
  std::vector<int64_t> component(static_cast<size_t>(graph_of(graph).nodes));
  boost::connected_components(rows_of(graph, false), component.data());
  return component;
}

int64_t component_count(const Structure& graph) {
  const auto all = components(graph);
  return all.empty() ? 0 : *std::max_element(all.begin(), all.end()) + 1;
}

std::vector<int64_t> degrees(const Structure& graph) {
  std::vector<int64_t> ends = directed_degrees(graph, 0);
  const std::vector<int64_t> others = directed_degrees(graph, 1);
  for (size_t node = 0; node < ends.size(); ++node) ends[node] += others[node];
  return ends;
}

std::vector<int64_t> directed_degrees(const Structure& graph, int end) {
  check_graph(graph);
  std::vector<int64_t> ends(static_cast<size_t>(graph_of(graph).nodes), 0);
  for (const auto& edge : graph_of(graph).edges) {
    ++ends[static_cast<size_t>(edge[static_cast<size_t>(end)])];
  }
  return ends;
}

double pair_bytes(int64_t nodes, int64_t numbers, int64_t bytes_each) {
  const auto real = [](int64_t number) { return static_cast<double>(number); };
  return real(nodes) * real(nodes) * real(numbers) * real(bytes_each);
}

void check_pair_memory(const Structure& graph, std::string_view relation, int64_t numbers,
                       int64_t bytes_each) {
  const double bytes = pair_bytes(graph_of(graph).nodes, numbers, bytes_each);
  if (bytes <= static_cast<double>(most_pair_bytes)) return;
  input_error("{} of {} nodes: {} need {:.0f} bytes for its pairs, at most {} expected",
              graph_name(graph), graph_of(graph).nodes, relation, bytes, most_pair_bytes);
}

void check_any_pair_memory(const Structure& graph) {
  check_pair_memory(graph, "the ids of any relation", 1, 1);
}

}  // namespace relbias::modalities
