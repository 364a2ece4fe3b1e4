// SPDX-License-Identifier: Apache-2.0
// modalities/graph/reading: edges listed in both directions are one edge.
#include "modalities/graph/reading/edge_lists.h"
#include "modalities/graph/graph_structure.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace relbias::modalities {

void set_edges(Graph& graph, EdgeList list, int64_t& paired) {
  using Edge = std::tuple<int64_t, int64_t, std::vector<double>>;
  std::map<Edge, int64_t> count;
  for (size_t e = 0; e < list.edges.size(); ++e) {
    std::vector<double> features = list.features.empty() ? std::vector<double>() : list.features[e];
    for (double& feature : features) {
      if (std::isnan(feature)) feature = HUGE_VAL;  // a NaN has no place in an order
    }
    ++count[{list.edges[e][0], list.edges[e][1], std::move(features)}];
  }
  bool both = !list.edges.empty();
  for (const auto& [edge, times] : count) {
    const auto& [from, to, features] = edge;
    const auto back = count.find({to, from, features});
    both = both && back != count.end() && back->second == times;
  }
  EdgeList kept;
  for (size_t e = 0; e < list.edges.size(); ++e) {
    if (both && list.edges[e][0] > list.edges[e][1]) continue;
    kept.edges.push_back(list.edges[e]);
    if (!list.features.empty()) kept.features.push_back(list.features[e]);
  }
  paired += both;
  edit_graph(graph.structure).both_ways = both;
  edit_graph(graph.structure).edges = kept.edges;
  if (list.features.empty()) return;
  std::vector<double> all;
  for (const auto& features : kept.features)
    all.insert(all.end(), features.begin(), features.end());
  const auto width = static_cast<int64_t>(list.features.front().size());
  edit_graph(graph.structure).edge_features =
      at::tensor(all, at::kDouble)
          .view({static_cast<int64_t>(kept.edges.size()), width})
          .to(at::kFloat);
}

std::vector<double> ranked(const std::vector<double>& values, int64_t& categories) {
  std::set<double> distinct;
  for (const double value : values) {
    if (!std::isnan(value)) distinct.insert(value);
  }
  categories = static_cast<int64_t>(distinct.size());
  std::vector<double> ranks;
  for (const double value : values) {
    ranks.push_back(std::isnan(value) ? value
                                      : static_cast<double>(
                                            std::distance(distinct.begin(), distinct.find(value))));
  }
  return ranks;
}

}  // namespace relbias::modalities
