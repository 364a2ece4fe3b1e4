// SPDX-License-Identifier: Apache-2.0
// modalities/graph: reading of graphs from options; virtual nodes before ids and features.
#include "modalities/graph/node_pairs.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "modalities/graph/graph_structure.h"
#include "modalities/graph/paths.h"

namespace relbias::modalities {
namespace {

template <class Number>
Number number_in(std::string_view text, std::string_view edge, std::string_view relation) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    input_error("relation {}, option edges: '{}' found, i-j or i-j:weight expected", relation,
                edge);
  }
  return number;
}

void add_edge(Structure& graph, const std::string& text, const std::string& relation) {
  const size_t dash = text.find('-'), colon = text.find(':');
  if (dash == std::string::npos) number_in<int64_t>("", text, relation);
  const std::string_view all = text;
  const auto node = [&](size_t begin, size_t count) {
    return int64_t{number_in<int32_t>(all.substr(begin, count), text, relation)};
  };
  edit_graph(graph).edges.push_back(
      {node(0, dash), node(dash + 1, colon == std::string::npos ? colon : colon - dash - 1)});
  if (colon == std::string::npos) {
    if (!graph_of(graph).edge_weights.empty()) edit_graph(graph).edge_weights.push_back(1);
    return;
  }
  edit_graph(graph).edge_weights.resize(graph_of(graph).edges.size() - 1, 1.0);
  edit_graph(graph).edge_weights.push_back(
      number_in<double>(all.substr(colon + 1), text, relation));
}

}  // namespace

std::vector<std::string> special_pairs() {
  return {"unreachable", "virtual to node", "node to virtual", "virtual to virtual"};
}

std::vector<OptionSpec> graph_options() {
  return {{.name = "edges",
           .value = std::string(),
           .meaning = "a graph for `terms` and `attend`, e.g. 0-1,1-2:2.5",
           .of_example = true},
          {.name = "nodes",
           .value = int64_t{-1},
           .meaning = "its nodes; -1: as many as its edges name",
           .minimum = -1,
           .maximum = 1 << 30,
           .of_example = true},
          {"virtual_node", false, "a node before all others that is joined to none"}};
}

Structure written_graph(const Options& options, std::optional<int64_t> queries,
                        std::optional<int64_t> keys) {
  Structure graph;
  graph.name = "the graph of its options";
  const int64_t before = options.flag("virtual_node") ? 1 : 0;
  std::istringstream words(options.word("edges"));
  for (std::string word; std::getline(words, word, ',');) add_edge(graph, word, options.name());
  int64_t named = 0;
  for (const auto& edge : graph_of(graph).edges)
    named = std::max({named, edge[0] + 1, edge[1] + 1});
  edit_graph(graph).nodes = options.integer("nodes");
  if (graph_of(graph).nodes < 0) edit_graph(graph).nodes = named;
  if (graph_of(graph).edges.empty() && options.integer("nodes") < 0) {
    edit_graph(graph).edges = {{0, 1}, {1, 2}, {2, 3}, {1, 4}};
    edit_graph(graph).nodes = 6;
  }
  graph.class_token = before != 0;
  graph.keys = graph.queries = graph_of(graph).nodes + before;
  for (const auto& size : {queries, keys}) {
    if (size && *size != graph.keys) {
      input_error("relation {}: {} tokens found, {} expected: its graph has {} nodes{}",
                  options.name(), *size, graph.keys, graph_of(graph).nodes,
                  before != 0 ? " and a virtual one" : "");
    }
  }
  check_graph(graph);
  return graph;
}

void check_node_tokens(const Structure& sample, const Options& options) {
  const int64_t before = sample.class_token ? 1 : 0;
  if (sample.keys != graph_of(sample).nodes + before) {
    input_error("relation {}: {} tokens found, {} expected, one for each node of {}{}",
                options.name(), sample.keys, graph_of(sample).nodes + before,
                graph_of(sample).nodes == 0 ? "no graph" : graph_name(sample),
                before != 0 ? " and the virtual one" : "");
  }
  if (sample.queries != sample.keys) {
    input_error(
        "relation {}: {} queries and {} keys found, equally many expected: nodes have no "
        "order",
        options.name(), sample.queries, sample.keys);
  }
  if (options.flag("virtual_node") && !sample.class_token) {
    input_error(
        "relation {} virtual_node=true: a sample without a virtual node found "
        "(model.readout=class gives it one)",
        options.name());
  }
}

Tensor special_rows(int64_t first, int64_t rows) {
  return (at::arange(rows, at::kLong) - first).clamp_min(-1);
}

Tensor with_virtual_node(const Tensor& ids, const Structure& sample, int64_t first) {
  if (!sample.class_token) return ids.unsqueeze(0);
  const int64_t keys = sample.keys, nodes = graph_of(sample).nodes;
  Tensor all = at::empty({1, keys, keys}, ids.options());
  all[0].narrow(0, 1, nodes).narrow(1, 1, nodes).copy_(ids);
  all[0][0].fill_(first + virtual_to_node);
  all[0].select(1, 0).fill_(first + node_to_virtual);
  all[0][0][0].fill_(first + virtual_to_virtual);
  return all;
}

Tensor component_ids(const Structure& sample) {
  const Tensor part = at::tensor(components(sample), at::kLong);
  const Tensor apart = part.unsqueeze(1) != part.unsqueeze(0);
  return with_virtual_node(apart.to(at::kByte), sample, 1);
}

Tensor with_virtual_zeros(const Tensor& values, const Structure& sample, int64_t token_dims) {
  if (!sample.class_token) return values.unsqueeze(0);
  std::vector<int64_t> before{0, 0};  // pairs from the last dimension on
  for (int64_t dim = 0; dim < token_dims; ++dim) before.insert(before.end(), {1, 0});
  return at::constant_pad_nd(values, before).unsqueeze(0);
}

Tensor cached(const Structure& sample, const std::string& what,
              const std::function<Tensor()>& compute) {
  if (!sample.cache) return compute();
  return sample.cache->get(fmt::format("{}{}", what, sample.class_token ? " with virtual" : ""),
                           compute);
}

}  // namespace relbias::modalities
