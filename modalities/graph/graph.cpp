// SPDX-License-Identifier: Apache-2.0
// modalities/graph: checks, division and counts of the graphs of a dataset.
#include "modalities/graph/graph.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <set>

#include "modalities/graph/graph_structure.h"
#include "modalities/graph/paths.h"
#include "modalities/sampling/division.h"

namespace relbias::modalities {
namespace {

void check_nodes(const Graph& graph, const GraphSource& source) {
  const Structure& sample = graph.structure;
  const auto columns = static_cast<int64_t>(source.category_counts.size());
  const auto expect = [&](const Tensor& found, int64_t width, const char* what) {
    if (!found.defined() && width == 0) return;
    if (found.defined() && found.size(0) == graph_of(sample).nodes && found.size(1) == width)
      return;
    input_error("{}: {} {} of {} nodes found, {} of {} expected", sample.name,
                found.defined() ? found.size(1) : 0, what, found.defined() ? found.size(0) : 0,
                width, graph_of(sample).nodes);
  };
  expect(graph.categories, columns, "categories");
  expect(graph.numbers, source.number_count, "numbers");
  for (int64_t column = 0; column < columns; ++column) {
    const Tensor found = graph.categories.select(1, column);
    const int64_t count =
        std::min(source.category_counts[static_cast<size_t>(column)], most_categories);
    if (found.numel() == 0) continue;
    if (found.min().item<int64_t>() < 0 || found.max().item<int64_t>() >= count) {
      input_error("{}: node category {} has values from {} to {}, 0 to {} expected", sample.name,
                  column, found.min().item<int64_t>(), found.max().item<int64_t>(), count - 1);
    }
  }
  if (!graph.numbers.defined()) return;
  const Tensor broken = at::isfinite(graph.numbers).logical_not().nonzero();
  if (broken.size(0) == 0) return;
  const auto node = broken[0][0].item<int64_t>(), column = broken[0][1].item<int64_t>();
  input_error("{}: number {} of node {} is {}, a finite one expected", sample.name, column, node,
              graph.numbers[node][column].item<double>());
}

void check_edges(const Structure& sample) {
  if (!graph_of(sample).edge_features.defined()) return;
  const Tensor broken = at::isfinite(graph_of(sample).edge_features).logical_not().any(1).nonzero();
  if (broken.numel() == 0) return;
  const auto e = broken[0].item<int64_t>();
  const auto& [from, to] = graph_of(sample).edges[static_cast<size_t>(e)];
  input_error("{}: a feature of edge {} ({}-{}) is missing or not finite", sample.name, e, from,
              to);
}

void check_labels(const Graph& graph, const GraphSource& source) {
  TORCH_INTERNAL_ASSERT(graph.labels.size() == source.targets.size());
  for (size_t n = 0; n < source.targets.size(); ++n) {
    const GraphTarget& target = source.targets[n];
    const int64_t count =
        target.about == Question::About::sample ? 1 : graph_of(graph.structure).nodes;
    const Tensor& found = graph.labels[n];
    if (found.numel() != count) {
      input_error("{}: {} labels '{}' found, {} expected", graph.structure.name, found.numel(),
                  target.name, count);
    }
    if (target.kind != Question::Kind::category) continue;
    const Tensor known = found.masked_select(found.isnan().logical_not());
    const int64_t categories = std::min(target.categories, most_categories);
    const Tensor none = known.masked_select(
        (known < 0).logical_or(known >= categories).logical_or(known != known.floor()));
    if (none.numel() > 0) {
      input_error("{}: label '{}' has the category {}, a whole number from 0 to {} expected",
                  graph.structure.name, target.name, none[0].item<double>(), categories - 1);
    }
  }
}

// What a model sees of a graph, to divide by: copies stay together.
std::string content_of(const Graph& graph) {
  std::string content = fmt::format("{} nodes", graph_of(graph.structure).nodes);
  for (const auto& [from, to] : graph_of(graph.structure).edges)
    content += fmt::format(" {}-{}", from, to);
  for (const Tensor& nodes :
       {graph.categories, graph.numbers, graph_of(graph.structure).edge_features}) {
    if (!nodes.defined()) continue;
    const Tensor whole = nodes.contiguous();
    content.append(static_cast<const char*>(whole.data_ptr()), whole.nbytes());
  }
  return content;
}

}  // namespace

Graph new_graph(std::string name, int64_t nodes) {
  Graph graph;
  graph.structure.name = std::move(name);
  edit_graph(graph.structure).nodes = graph.structure.queries = graph.structure.keys = nodes;
  graph.structure.cache = std::make_shared<SampleCache>();
  return graph;
}

GraphDataset::GraphDataset(GraphSource source)
    : source_(std::move(source)), report_(source_.origin) {
  check();
  divide();
  count();
}

void GraphDataset::check() const {
  for (const Graph& graph : source_.graphs) {
    check_graph(graph.structure);
    check_nodes(graph, source_);
    check_edges(graph.structure);
    check_labels(graph, source_);
  }
}

void GraphDataset::divide() {
  std::vector<const Graph*> free;
  std::vector<std::string> keys;
  for (const Graph& graph : source_.graphs) {
    if (graph.split) {
      splits_[static_cast<size_t>(*graph.split)].push_back(&graph);
    } else if (source_.train_nodes > 0 && graph_of(graph.structure).nodes > source_.train_nodes) {
      splits_[static_cast<size_t>(Split::test)].push_back(&graph);
    } else {
      free.push_back(&graph);
      keys.push_back(graph.key.empty() ? content_of(graph) : graph.key);
    }
  }
  const Division division = divided(keys, {.validation = 0.05, .test = 0.15}, "content");
  for (size_t n = 0; n < free.size(); ++n) {
    splits_[static_cast<size_t>(division.splits[n])].push_back(free[n]);
  }
  for (const Split split : all_splits) {
    if (graphs(split).empty()) {
      input_error(
          "{}: {} graphs are too few for three splits, {} of them unlike, none is left for {}",
          report_, source_.graphs.size(), std::set(keys.begin(), keys.end()).size(),
          split_name(split));
    }
  }
}

void GraphDataset::count() {
  int64_t loops = 0, repeated = 0, isolated = 0, parts = 0, single = 0, missing = 0;
  std::vector<int64_t> sizes;
  for (const Graph& graph : source_.graphs) {
    const Structure& sample = graph.structure;
    sizes.push_back(graph_of(sample).nodes);
    std::set<std::array<int64_t, 2>> seen;
    for (const auto& edge : graph_of(sample).edges) {
      loops += edge[0] == edge[1];
      repeated += !seen.insert(edge).second;
    }
    for (const int64_t degree : degrees(sample))
      isolated += degree == 0 && graph_of(sample).nodes > 1;
    parts += component_count(sample) > 1;
    single += graph_of(sample).nodes == 1;
    for (const Tensor& label : graph.labels) missing += label.isnan().sum().item<int64_t>();
  }
  std::sort(sizes.begin(), sizes.end());
  report_ += fmt::format("; {} graphs of {} to {} nodes, median {}", sizes.size(), sizes.front(),
                         sizes.back(), sizes[sizes.size() / 2]);
  const auto add = [&](int64_t found, const char* what) {
    if (found > 0) report_ += fmt::format(", {} {}", found, what);
  };
  add(single, "of a single node");
  add(parts, "in several parts");
  add(isolated, "isolated nodes");
  add(loops, "self loops");
  add(repeated, "repeated edges");
  add(missing, "missing labels");
  for (const Split split : all_splits) {
    report_ += fmt::format("; {} {}", split_name(split), graphs(split).size());
  }
}

}  // namespace relbias::modalities
