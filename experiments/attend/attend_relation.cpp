// SPDX-License-Identifier: Apache-2.0
// experiments/attend: graphs and trees in the input file of `relbias attend`.
#include "experiments/attend/attend_relation.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <numeric>

#include "modalities/code/syntax/tree_order.h"
#include "modalities/code/tree_structure.h"
#include "modalities/graph/graph_structure.h"

namespace relbias::experiments {
namespace {

constexpr double most_nodes = 1e9;

// A graph of as many nodes as there are tokens, a virtual node aside.
Structure nodes_alone(const Options& relation, int64_t keys) {
  Structure graph;
  graph.queries = graph.keys = edit_graph(graph).nodes = keys;
  graph.class_token = relation.has("virtual_node") && relation.flag("virtual_node");
  edit_graph(graph).nodes -= graph.class_token;
  return graph;
}

void add_edges(AttendCase& input, const Tensor& edges, Structure& sample) {
  if (edges.dim() != 2 || edges.size(1) != 2) {
    input.fail("relation/edges has shape [{}], [E, 2] expected", fmt::join(edges.sizes(), ", "));
  }
  if ((edges.floor() != edges).logical_or(edges.abs() > most_nodes).any().item<bool>()) {
    input.fail("relation/edges: whole numbers expected, the numbers of nodes");
  }
  for (int64_t e = 0; e < edges.size(0); ++e) {
    edit_graph(sample).edges.push_back({static_cast<int64_t>(edges[e][0].item<double>()),
                                        static_cast<int64_t>(edges[e][1].item<double>())});
  }
  const Tensor features = input.array("relation/edge_features");
  if (!features.defined()) return;
  if (features.dim() != 2 || features.size(0) != edges.size(0)) {
    input.fail("relation/edge_features has shape [{}], [{}, F] expected",
               fmt::join(features.sizes(), ", "), edges.size(0));
  }
  edit_graph(sample).edge_features = features.to(at::kFloat);
}

// Samples whose tokens stand at positions of their own.
std::vector<Structure> placed(AttendCase& input, const Tensor& positions,
                              const std::array<int64_t, 3>& batch_queries_keys) {
  const auto [batch, queries, keys] = batch_queries_keys;
  if (positions.sizes() != at::IntArrayRef({batch, keys})) {
    input.fail("positions has shape [{}], [{}, {}] expected", fmt::join(positions.sizes(), ", "),
               batch, keys);
  }
  if (queries > keys) {
    input.fail("positions: {} queries and {} keys found, at most as many expected", queries, keys);
  }
  std::vector<Structure> samples;
  for (const Tensor& row : positions.to(at::kLong).unbind(0)) {
    samples.push_back({.queries = queries, .keys = keys, .positions = row.contiguous()});
  }
  return samples;
}

// One tree a sample: tokens are all nodes where there are as many, else the leaves.
std::vector<Structure> trees_of(AttendCase& input, const Tensor& parents, const Options& options,
                                const std::array<int64_t, 3>& batch_queries_keys) {
  const auto [batch, queries, keys] = batch_queries_keys;
  if (parents.dim() != 2 || (parents.size(0) != batch && parents.size(0) != 1)) {
    input.fail("relation/parents has shape [{}], [{}, nodes] expected",
               fmt::join(parents.sizes(), ", "), batch);
  }
  if ((parents.floor() != parents).logical_or(parents.abs() > most_nodes).any().item<bool>()) {
    input.fail("relation/parents: whole numbers expected, -1 for the root");
  }
  if (queries > keys) {
    input.fail("relation/parents: {} queries and {} keys found, at most as many queries expected",
               queries, keys);
  }
  const bool class_token = options.has("class_token") && options.flag("class_token");
  const int64_t tokens = keys - class_token;
  std::vector<Structure> samples;
  for (const Tensor& row : parents.to(at::kLong).contiguous().unbind(0)) {
    Structure sample{.queries = queries, .keys = keys, .class_token = class_token};
    const int64_t* const first = row.data_ptr<int64_t>();
    edit_tree(sample).parents.assign(first, first + row.size(0));
    edit_tree(sample).token_nodes = leaves_of(tree_of(sample).parents);
    const auto leaves = static_cast<int64_t>(tree_of(sample).token_nodes.size());
    if (row.size(0) == tokens) {
      edit_tree(sample).token_nodes.resize(tree_of(sample).parents.size());
      auto& nodes = edit_tree(sample).token_nodes;
      std::iota(nodes.begin(), nodes.end(), int64_t{0});
    } else if (leaves != tokens) {
      input.fail("relation/parents has {} nodes, {} of them leaves, but there are {} tokens",
                 row.size(0), leaves, tokens);
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

// A dataset that the relation reads: graphs have edges or distances, trees parents. Another
// relation of the case may read it; refuse_unread says where none does.
Tensor read_by(AttendCase& input, const std::string& name, const std::string& modality,
               const std::string& relation) {
  const auto& entry = find_entry("relation", relation, relation_entries());
  return entry.modality == modality ? input.array(name) : Tensor();
}

// One structure for all samples, or one a sample.
std::vector<Structure> structures_of(AttendCase& input, const Relation& relation,
                                     const Options& options,
                                     const std::array<int64_t, 3>& batch_queries_keys) {
  const auto [batch, queries, keys] = batch_queries_keys;
  const Tensor parents = read_by(input, "relation/parents", "code", options.name());
  if (parents.defined()) {
    return trees_of(input, parents, options, batch_queries_keys);
  }
  if (options.name() == "token" && input.has("positions")) {
    return placed(input, input.array("positions"), batch_queries_keys);
  }
  const Tensor edges = read_by(input, "relation/edges", "graph", options.name());
  const Tensor distance = read_by(input, "relation/distance", "graph", options.name());
  if (distance.defined() && !relation.traits().distance) {
    input.fail("relation/distance: relation {} has no use for distances, relation/edges expected",
               options.name());
  }
  if (!edges.defined() && !distance.defined()) return {relation.structure(queries, keys)};
  if (queries != keys) input.fail("{} queries and {} nodes found, as many expected", queries, keys);
  const Structure alone = nodes_alone(options, keys);
  std::vector<Structure> samples{alone};
  if (edges.defined()) add_edges(input, edges, samples.front());
  if (!distance.defined()) return samples;
  const std::vector<int64_t> expected{batch, graph_of(alone).nodes, graph_of(alone).nodes};
  if (distance.sizes() != at::IntArrayRef(expected)) {
    input.fail("relation/distance has shape [{}], [{}] expected", fmt::join(distance.sizes(), ", "),
               fmt::join(expected, ", "));
  }
  const Tensor steps = distance.to(at::kLong);
  if ((steps != distance).logical_or(steps < -1).any().item<bool>()) {
    input.fail("relation/distance: whole numbers of at least 0 expected, or -1 for no path");
  }
  samples.resize(static_cast<size_t>(batch), Structure(samples.front()));
  for (int64_t b = 0; b < batch; ++b) edit_graph(samples[static_cast<size_t>(b)]).hops = steps[b];
  return samples;
}

}  // namespace

std::string placed_relation(AttendCase& input, const std::string& relation) {
  const auto& entry = find_entry("relation", option_name(relation), relation_entries());
  const Options options = parse_options("relation", relation, entry.options);
  if (options.name() != "token" || !input.has("positions")) return relation;
  constexpr double most = 1 << 20;
  const Tensor positions = input.array("positions");
  const bool whole = (positions == positions.floor()).all().item<bool>();
  const double largest = positions.numel() == 0 ? 0 : positions.max().item<double>();
  const bool given = options.given("randomize");
  const double end = given ? static_cast<double>(options.integer("randomize")) : most;
  if (!whole || positions.numel() == 0 || positions.min().item<double>() < 0 || largest >= end) {
    input.fail("positions: whole numbers from 0 to {} expected", end - 1);
  }
  return given ? relation : fmt::format("token randomize={}", static_cast<int64_t>(largest) + 1);
}

void refuse_unread(const AttendCase& input, const std::string& relations) {
  const std::vector<std::pair<const char*, const char*>> readers = {
      {"relation/parents", "tree"},
      {"relation/edges", "a graph"},
      {"relation/distance", "hops"},
      {"relation/edge_features", "edges"},
      {"positions", "token"}};
  for (const auto& [name, relation] : readers) {
    if (!input.has(name) || input.was_asked(name)) continue;
    input.fail("{}: relation {} does not read it, {} expected", name, relations, relation);
  }
}

RelationMap map_in_case(AttendCase& input, const Relation& relation, const Options& options,
                        const std::array<int64_t, 3>& batch_queries_keys) {
  const auto samples = structures_of(input, relation, options, batch_queries_keys);
  if (samples.size() == 1) return relation.map(samples.front());
  std::vector<RelationMap> maps;
  for (const Structure& sample : samples) maps.push_back(relation.map(sample));
  return stack(maps, {samples.front().queries, samples.front().keys});
}

}  // namespace relbias::experiments
