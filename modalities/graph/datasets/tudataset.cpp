// SPDX-License-Identifier: Apache-2.0
// modalities/graph: dataset `tudataset`, the text files of the TU Dortmund collection.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "modalities/graph/graph_structure.h"
#include "modalities/graph/reading/edge_lists.h"
#include "modalities/plain/csv.h"

namespace relbias::modalities {
namespace {

namespace fs = std::filesystem;

/// DS_A.txt and its companions, one row of numbers a line each.
struct Files {
  fs::path folder;
  std::string name;  // DS
  std::vector<File> read;

  fs::path path(const std::string& part) const { return folder / (name + "_" + part + ".txt"); }
  bool has(const std::string& part) const { return fs::exists(path(part)); }

  std::vector<CsvRow> lines(const std::string& part) {
    const std::string file = path(part).string();
    read.push_back({path(part).filename().string(), read_file(path(part))});
    std::vector<CsvRow> lines = parse_csv(file, read.back().bytes);
    check_widths(file, lines);
    return lines;
  }

  std::vector<CsvRow> lines(const std::string& part, size_t count, const char* what) {
    auto found = lines(part);
    if (found.size() != count) {
      input_error("{}: {} lines found, one for each of {} {} expected", path(part).string(),
                  found.size(), count, what);
    }
    return found;
  }

  std::vector<std::vector<double>> rows(const std::string& part, size_t count, const char* what) {
    std::vector<std::vector<double>> rows;
    for (const CsvRow& line : lines(part, count, what)) {
      rows.push_back(numbers_in_row(path(part).string(), line));
    }
    return rows;
  }
};

std::string dataset_name(const fs::path& folder) {
  std::vector<std::string> names;
  for (const std::string& file : files_below(folder, {"txt"})) {
    if (file.ends_with("_A.txt") && file.find('/') == std::string::npos) {
      names.push_back(file.substr(0, file.size() - 6));
    }
  }
  if (names.size() != 1) {
    input_error("{}: {} files *_A.txt found, one expected", folder.string(), names.size());
  }
  return names.front();
}

std::vector<double> first_column(const std::vector<std::vector<double>>& rows) {
  std::vector<double> column;
  for (const auto& row : rows) column.push_back(row.front());
  return column;
}

/// Which graph a node belongs to, and its number there.
struct Place {
  int64_t graph;
  int64_t node;
};

std::vector<Place> places_of(Files& files, std::vector<Graph>& graphs) {
  std::vector<Place> places;
  std::vector<int64_t> sizes;
  const std::string file = files.path("graph_indicator").string();
  for (const CsvRow& line : files.lines("graph_indicator")) {
    const auto last = static_cast<int64_t>(sizes.size());
    const int64_t graph =
        whole_in_cell(file, line, 0, "a graph", std::max<int64_t>(1, last), last + 1);
    if (graph > last) sizes.push_back(0);
    places.push_back({graph - 1, sizes.back()++});
  }
  if (places.empty()) input_error("{} is empty, the graph of every node expected", file);
  for (size_t n = 0; n < sizes.size(); ++n) {
    graphs.push_back(new_graph(fmt::format("graph {} of {}", n + 1, files.name), sizes[n]));
  }
  return places;
}

int64_t read_edges(Files& files, const std::vector<Place>& places, std::vector<Graph>& graphs) {
  const std::string file = files.path("A").string();
  const std::vector<CsvRow> lines = files.lines("A");
  if (!lines.empty() && lines.front().cells.size() != 2) {
    input_error("{}, line {}: {} numbers found, 2 expected", file, lines.front().line,
                lines.front().cells.size());
  }
  std::vector<std::vector<double>> attributes;
  if (files.has("edge_attributes")) {
    attributes = files.rows("edge_attributes", lines.size(), "edges");
  } else if (files.has("edge_labels")) {
    attributes = files.rows("edge_labels", lines.size(), "edges");
  }
  const auto count = static_cast<int64_t>(places.size());
  std::vector<EdgeList> lists(graphs.size());
  for (size_t e = 0; e < lines.size(); ++e) {
    const auto place = [&](size_t end) {
      return places[static_cast<size_t>(whole_in_cell(file, lines[e], end, "a node", 1, count) -
                                        1)];
    };
    const Place from = place(0), to = place(1);
    if (from.graph != to.graph) {
      input_error("{}, line {}: an edge from graph {} to graph {}", file, lines[e].line,
                  from.graph + 1, to.graph + 1);
    }
    EdgeList& list = lists[static_cast<size_t>(from.graph)];
    list.edges.push_back({from.node, to.node});
    if (!attributes.empty()) list.features.push_back(attributes[e]);
  }
  int64_t paired = 0;
  for (size_t n = 0; n < graphs.size(); ++n) set_edges(graphs[n], std::move(lists[n]), paired);
  return paired;
}

// Rows of all nodes, [all N, F], to the graphs they belong to.
void set_nodes(std::vector<Graph>& graphs, const Tensor& rows, Tensor Graph::*member) {
  int64_t first = 0;
  for (Graph& graph : graphs) {
    graph.*member = rows.narrow(0, first, graph_of(graph.structure).nodes);
    first += graph_of(graph.structure).nodes;
  }
}

void read_nodes(Files& files, size_t nodes, GraphSource& source) {
  if (files.has("node_labels")) {
    int64_t categories = 0;
    std::vector<double> found;
    const std::string file = files.path("node_labels").string();
    for (const CsvRow& line : files.lines("node_labels", nodes, "nodes")) {
      found.push_back(number_in_cell(file, line, 0));
      if (!std::isnan(found.back())) continue;
      input_error("{}, line {}: '{}' found, the label of a node expected", file, line.line,
                  line.cells.front());
    }
    const auto labels = ranked(found, categories);
    source.category_counts = {categories};
    set_nodes(source.graphs, at::tensor(labels, at::kDouble).to(at::kLong).unsqueeze(1),
              &Graph::categories);
  }
  if (files.has("node_attributes")) {
    const auto rows = files.rows("node_attributes", nodes, "nodes");
    source.number_count = static_cast<int64_t>(rows.front().size());
    std::vector<double> all;
    for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
    set_nodes(source.graphs,
              at::tensor(all, at::kDouble).view({-1, source.number_count}).to(at::kFloat),
              &Graph::numbers);
  }
}

void read_labels(Files& files, GraphSource& source) {
  const size_t count = source.graphs.size();
  if (files.has("graph_labels")) {
    GraphTarget target{.name = "label", .kind = Question::Kind::category};
    const auto written = first_column(files.rows("graph_labels", count, "graphs"));
    for (size_t n = 0; n < count; ++n) {
      if (written[n] == std::floor(written[n])) continue;
      input_error("{}_graph_labels.txt, line {}: {} found, a whole number expected", files.name,
                  n + 1, written[n]);
    }
    const auto labels = ranked(written, target.categories);
    source.targets.push_back(target);
    for (size_t n = 0; n < count; ++n) {
      source.graphs[n].labels.push_back(at::full({1}, labels[n], at::kDouble));
    }
  }
  if (!files.has("graph_attributes")) return;
  const auto rows = files.rows("graph_attributes", count, "graphs");
  for (size_t column = 0; column < rows.front().size(); ++column) {
    source.targets.push_back({.name = fmt::format("attribute{}", column)});
    for (size_t n = 0; n < count; ++n) {
      source.graphs[n].labels.push_back(at::full({1}, rows[n][column], at::kDouble));
    }
  }
}

std::unique_ptr<Dataset> make(const Options& options) {
  const fs::path folder = options.word("path");
  if (folder.empty()) input_error("dataset tudataset: path= is missing, the folder with DS_A.txt");
  Files files{folder, dataset_name(folder), {}};
  GraphSource source{.train_nodes = options.integer("train_nodes")};
  const auto places = places_of(files, source.graphs);
  const int64_t paired = read_edges(files, places, source.graphs);
  read_nodes(files, places.size(), source);
  read_labels(files, source);
  if (source.targets.empty()) {
    input_error("{} has neither {} nor {}", folder.string(),
                files.path("graph_labels").filename().string(),
                files.path("graph_attributes").filename().string());
  }
  source.content_hash = content_hash(files.read);
  source.origin = fmt::format(
      "tudataset {}: edges of {} graphs listed in both directions, kept once", files.name, paired);
  return std::make_unique<GraphDataset>(std::move(source));
}

}  // namespace

/// DS_A.txt lists edges between nodes that are numbered from 1 through all graphs,
/// DS_graph_indicator.txt the graph of every node; both are needed, and DS_graph_labels.txt
/// (categories, in the order of their values) or DS_graph_attributes.txt (numbers). Node labels
/// become categories, node attributes numbers, edge attributes or labels features of the edges.
DatasetEntry dataset_tudataset() {
  return {
      .version = 2,
      .summary = "a dataset of the TU Dortmund collection (MUTAG, PROTEINS, ...), from its folder",
      .options = {{"path", std::string(), "the folder with DS_A.txt"},
                  {"train_nodes", int64_t{0}, "larger graphs test alone; 0: none", {}, 0}},
      .make = make,
  };
}

}  // namespace relbias::modalities
