// SPDX-License-Identifier: Apache-2.0
// modalities/graph: relation `edges`, the features of the edges along the shortest path.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "modalities/graph/graph_structure.h"
#include "modalities/graph/node_pairs.h"
#include "modalities/graph/paths.h"

namespace relbias::modalities {
namespace {

/// An edge as seen from one end.
struct Arc {
  int64_t to;
  int64_t edge;
};

std::vector<std::vector<Arc>> arcs_of(const Structure& graph, bool directed) {
  std::vector<std::vector<Arc>> arcs(static_cast<size_t>(graph_of(graph).nodes));
  for (size_t e = 0; e < graph_of(graph).edges.size(); ++e) {
    const auto& [from, to] = graph_of(graph).edges[e];
    arcs[static_cast<size_t>(from)].push_back({to, static_cast<int64_t>(e)});
    if ((!directed || graph_of(graph).both_ways) && from != to) {
      arcs[static_cast<size_t>(to)].push_back({from, static_cast<int64_t>(e)});
    }
  }
  return arcs;
}

std::vector<size_t> by_hops(const std::vector<int32_t>& hops) {
  std::vector<size_t> order(hops.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return hops[a] < hops[b]; });
  return order;
}

// How many shortest paths lead from the source to every node.
std::vector<double> path_counts(const std::vector<std::vector<Arc>>& arcs,
                                const std::vector<int32_t>& hops,
                                const std::vector<size_t>& order) {
  std::vector<double> paths(hops.size(), 0);
  for (const size_t from : order) {
    if (hops[from] == 0) paths[from] = 1;
    for (const Arc& arc : arcs[from]) {
      const auto to = static_cast<size_t>(arc.to);
      if (hops[from] >= 0 && hops[to] == hops[from] + 1) paths[to] += paths[from];
    }
    if (!std::isfinite(paths[from])) {
      input_error(
          "relation edges: more than 1e308 shortest paths between two nodes, paths=one "
          "expected");
    }
  }
  return paths;
}

/// features(i,j) = (x_1, ..., x_s) / min(s, d): the features x of the edges on the shortest path of
/// d edges from i to j, step by step, the first `steps` = s of them, zeros behind the last. A
/// linear map w of them is Graphormer's mean over the path, 1/d sum_n w_n . x_n (Ying et al. 2021,
/// eq. 7). Where several paths are shortest, features are the mean over all of them, so that
/// relabelling nodes relabels features and nothing else; `paths=one` takes one path, as Graphormer
/// does, the one whose every node comes from its first predecessor in the order of the nodes.
/// Without edge features the edge weights count as one feature, without weights the number 1.
///
/// Edges 0-1 and 1-2 with features 3 and 5, node 3 isolated, steps 2: (0,1) 3 0; (1,2) 5 0; (0,2)
/// 1.5 2.5; (0,0) and (0,3) 0 0. Steps 1: (0,2) 3, the first edge over 1.
///
/// Ids: a path 0, unreachable 1 (its scalar is all that such a pair has), virtual to node 2, node
/// to virtual 3, virtual to virtual 4.
class Edges final : public Relation {
 public:
  explicit Edges(const Options& options)
      : options_(options), steps_(options.integer("steps")), width_(options.integer("features")) {}

  RelationTraits traits() const override {
    return {.index_class = IndexClass::pairs,
            .ids = 5,
            .special_ids = special_pairs(),
            .features = steps_ * width_};
  }

  RelationMap map(const Structure& sample) const override {
    check_node_tokens(sample, options_);
    check_pair_memory(sample, "the paths of relation edges", steps_ * width_, sizeof(float));
    RelationMap map;
    map.index_class = IndexClass::pairs;
    map.queries = map.keys = sample.keys;
    map.rows = 5;
    map.special = special_rows(1, map.rows);
    map.index = cached(sample, "ids of " + options_.canonical(), [&] { return ids(sample); });
    map.features = cached(sample, options_.canonical(),
                          [&] { return with_virtual_zeros(features(sample), sample, 2); });
    return map;
  }

  Structure structure(std::optional<int64_t> queries, std::optional<int64_t> keys) const override {
    return written_graph(options_, queries, keys);
  }

 private:
  Tensor ids(const Structure& sample) const {
    Tensor ids = at::empty({graph_of(sample).nodes, graph_of(sample).nodes}, at::kByte);
    auto* const first = ids.data_ptr<uint8_t>();
    for_hops_of_every_node(
        sample, options_.flag("directed"), [&](int64_t source, const std::vector<int32_t>& hops) {
          std::transform(hops.begin(), hops.end(), first + source * graph_of(sample).nodes,
                         [](int32_t steps) { return steps < 0 ? 1 : 0; });
        });
    return with_virtual_node(ids, sample, 1);
  }

  Tensor edge_features(const Structure& sample) const {  // [E, F] float32
    const auto edges = static_cast<int64_t>(graph_of(sample).edges.size());
    if (edges == 0) return at::zeros({0, width_});  // as wide as those of other graphs
    Tensor features = graph_of(sample).edge_features;
    if (!features.defined()) {
      features = graph_of(sample).edge_weights.empty()
                     ? at::ones({edges, 1})
                     : at::tensor(graph_of(sample).edge_weights, at::kDouble).unsqueeze(1);
    }
    if (features.size(1) != width_) {
      input_error("relation edges: {} has {} features an edge, features={} expected",
                  graph_name(sample), features.size(1), width_);
    }
    return features.to(at::kFloat).contiguous();
  }

  Tensor features(const Structure& sample) const {  // [N, N, steps F]
    const Tensor edge = edge_features(sample);
    const auto arcs = arcs_of(sample, options_.flag("directed"));
    Tensor all = at::zeros({graph_of(sample).nodes, graph_of(sample).nodes, steps_ * width_});
    const int64_t row = graph_of(sample).nodes * steps_ * width_;
    for_hops_of_every_node(
        sample, options_.flag("directed"), [&](int64_t source, const std::vector<int32_t>& hops) {
          add_paths(arcs, hops, edge.data_ptr<float>(), all.data_ptr<float>() + source * row);
        });
    return all;
  }

  // The paths from one source, in the order of their lengths: what leads to a node is what leads to
  // its predecessors, each by its share of the paths, and one edge more.
  void add_paths(const std::vector<std::vector<Arc>>& arcs, const std::vector<int32_t>& hops,
                 const float* edge, float* row) const {
    const int64_t numbers = steps_ * width_;
    const std::vector<size_t> order = by_hops(hops);
    const bool one = options_.word("paths") == "one";
    const auto paths = one ? std::vector<double>() : path_counts(arcs, hops, order);
    std::vector<bool> reached(hops.size(), false);
    for (const size_t from : order) {
      const float* const before = row + static_cast<int64_t>(from) * numbers;
      for (const Arc& arc : arcs[from]) {
        const auto to = static_cast<size_t>(arc.to);
        if (hops[from] < 0 || hops[to] != hops[from] + 1 || (one && reached[to])) continue;
        reached[to] = true;
        const auto share = static_cast<float>(one ? 1 : paths[from] / paths[to]);
        float* const sum = row + arc.to * numbers;
        for (int64_t n = 0; n < numbers; ++n) sum[n] += share * before[n];
        if (hops[from] >= steps_) continue;
        for (int64_t f = 0; f < width_; ++f) {
          sum[hops[from] * width_ + f] += share * edge[arc.edge * width_ + f];
        }
      }
    }
    for (size_t to = 0; to < hops.size(); ++to) {
      const auto length = static_cast<float>(std::min<int64_t>(hops[to], steps_));
      float* const sum = row + static_cast<int64_t>(to) * numbers;
      for (int64_t n = 0; n < numbers && length > 0; ++n) sum[n] /= length;
    }
  }

  const Options options_;
  int64_t steps_;
  int64_t width_;
};

std::vector<OptionSpec> options() {
  std::vector<OptionSpec> specs = {
      {"steps", int64_t{5}, "edges of a path that are looked at", {}, 1, 256},
      {"features", int64_t{1}, "features an edge", {}, 1, 4096},
      {"paths", "all", "the mean over all shortest paths, or one", {"all", "one"}},
      {"directed", false, "along the direction of the edges only"}};
  for (auto& spec : graph_options()) specs.push_back(std::move(spec));
  return specs;
}

}  // namespace

RelationEntry relation_edges() {
  return {
      .summary =
          "features of the edges along the shortest path from node i to node j, step by "
          "step, over the length of the path",
      .example =
          "edges 0-1:3 and 1-2:5, node 3 isolated, steps 2: row 0 = 0 0 | 3 0 | 1.5 2.5 | 0 0",
      .options = options(),
      .make = [](const Options& given) { return std::make_unique<Edges>(given); },
  };
}

}  // namespace relbias::modalities
