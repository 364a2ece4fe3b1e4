// SPDX-License-Identifier: Apache-2.0
// modalities/graph: dataset `ogb-csv`, the raw files of the Open Graph Benchmark.
#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "modalities/graph/graph_structure.h"
#include "modalities/graph/reading/edge_lists.h"
#include "modalities/plain/csv.h"

namespace relbias::modalities {
namespace {

namespace fs = std::filesystem;

// More nodes or edges are no graph that a relation could be computed of.
constexpr int64_t most_counted = int64_t{1} << 24;

struct Rows {
  std::string file;
  std::vector<CsvRow> rows;

  int64_t whole(size_t row, size_t column, const char* what, int64_t low, int64_t high) const {
    return whole_in_cell(file, rows[row], column, what, low, high);
  }
  double number(size_t row, size_t column) const { return number_in_cell(file, rows[row], column); }
  std::vector<double> numbers(size_t row) const { return numbers_in_row(file, rows[row]); }
};

class Reader {
 public:
  explicit Reader(fs::path folder) : folder_(std::move(folder)) {}

  bool has(const std::string& name) const {
    return fs::exists(folder_ / name) || fs::exists((folder_ / name).string() + ".gz");
  }

  Rows read(const std::string& name, EmptyLines empty = EmptyLines::skip) {
    const std::string file = (folder_ / name).string();
    files_.push_back({name, read_maybe_compressed(file)});
    Rows found{file, parse_csv(file, files_.back().bytes, empty)};
    check_widths(file, found.rows);
    return found;
  }

  Rows read(const std::string& name, size_t count, const char* what) {
    // An only label may be missing: its line is empty.
    const bool labels = name.find("label") != std::string::npos;
    Rows found = read(name, labels ? EmptyLines::keep : EmptyLines::skip);
    if (found.rows.size() != count) {
      input_error("{}: {} lines found, one for each of {} {} expected", found.file,
                  found.rows.size(), count, what);
    }
    return found;
  }

  std::string hash() const { return content_hash(files_); }

  std::string folder_name() const { return folder_.string(); }

 private:
  fs::path folder_;
  std::vector<File> files_;
};

std::vector<int64_t> counts_in(const Rows& lines) {
  std::vector<int64_t> counts;
  for (size_t n = 0; n < lines.rows.size(); ++n) {
    counts.push_back(lines.whole(n, 0, "a count", 0, most_counted));
  }
  return counts;
}

size_t total(const std::vector<int64_t>& counts) {
  return static_cast<size_t>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
}

void read_nodes(Reader& reader, GraphSource& source) {
  const auto counts = counts_in(reader.read("raw/num-node-list.csv"));
  for (size_t n = 0; n < counts.size(); ++n) {
    source.graphs.push_back(
        new_graph(fmt::format("graph {} of {}", n, reader.folder_name()), counts[n]));
  }
  if (!reader.has("raw/node-feat.csv")) return;
  const Rows features = reader.read("raw/node-feat.csv", total(counts), "nodes");
  if (features.rows.empty()) return;
  const size_t columns = features.rows.front().cells.size();
  bool whole = true;
  std::vector<double> all;
  for (size_t n = 0; n < features.rows.size(); ++n) {
    for (const double value : features.numbers(n)) {
      whole = whole && value >= 0 && value == std::floor(value);
      all.push_back(value);
    }
  }
  const Tensor table = at::tensor(all, at::kDouble).view({-1, static_cast<int64_t>(columns)});
  int64_t first = 0;
  for (Graph& graph : source.graphs) {
    const Tensor rows = table.narrow(0, first, graph_of(graph.structure).nodes);
    (whole ? graph.categories : graph.numbers) = rows.to(whole ? at::kLong : at::kFloat);
    first += graph_of(graph.structure).nodes;
  }
  if (!whole) {
    source.number_count = static_cast<int64_t>(columns);
    return;
  }
  const Tensor most = table.amax(0);
  for (size_t n = 0; n < columns; ++n) {
    source.category_counts.push_back(most[static_cast<int64_t>(n)].item<int64_t>() + 1);
  }
}

int64_t read_edges(Reader& reader, GraphSource& source) {
  const auto counts =
      counts_in(reader.read("raw/num-edge-list.csv", source.graphs.size(), "graphs"));
  const Rows edges = reader.read("raw/edge.csv", total(counts), "edges");
  if (!edges.rows.empty() && edges.rows.front().cells.size() != 2) {
    input_error("{}, line {}: {} cells found, 2 expected", edges.file, edges.rows.front().line,
                edges.rows.front().cells.size());
  }
  Rows features;
  if (reader.has("raw/edge-feat.csv")) {
    features = reader.read("raw/edge-feat.csv", edges.rows.size(), "edges");
  }
  size_t next = 0;
  int64_t paired = 0;
  for (size_t n = 0; n < source.graphs.size(); ++n) {
    EdgeList list;
    const int64_t last = graph_of(source.graphs[n].structure).nodes - 1;
    for (int64_t e = 0; e < counts[n]; ++e, ++next) {
      list.edges.push_back(
          {edges.whole(next, 0, "a node", 0, last), edges.whole(next, 1, "a node", 0, last)});
      if (!features.rows.empty()) list.features.push_back(features.numbers(next));
    }
    set_edges(source.graphs[n], std::move(list), paired);
  }
  return paired;
}

void read_labels(Reader& reader, GraphSource& source, bool categories) {
  const Rows labels = reader.read("raw/graph-label.csv", source.graphs.size(), "graphs");
  const size_t columns = labels.rows.empty() ? 0 : labels.rows.front().cells.size();
  for (size_t column = 0; column < columns; ++column) {
    GraphTarget target{.name = fmt::format("label{}", column)};
    for (size_t n = 0; n < labels.rows.size(); ++n) {
      const double label = labels.number(n, column);
      source.graphs[n].labels.push_back(at::full({1}, label, at::kDouble));
      if (!categories || std::isnan(label)) continue;
      const int64_t category = labels.whole(n, column, "a category", 0, most_categories - 1);
      target.categories = std::max(target.categories, category + 1);
    }
    target.kind = categories ? Question::Kind::category : Question::Kind::number;
    source.targets.push_back(target);
  }
}

void read_splits(Reader& reader, const fs::path& root, const std::string& name,
                 GraphSource& source) {
  if (!fs::is_directory(root / "split" / name)) {
    input_error("{} is no folder of a split", (root / "split" / name).string());
  }
  constexpr std::array<const char*, 3> parts = {"train", "valid", "test"};
  const auto last = static_cast<int64_t>(source.graphs.size()) - 1;
  for (const Split split : all_splits) {
    const std::string part = parts[static_cast<size_t>(split)];
    const Rows listed = reader.read("split/" + name + "/" + part + ".csv");
    for (size_t n = 0; n < listed.rows.size(); ++n) {
      const int64_t number = listed.whole(n, 0, "a graph", 0, last);
      Graph& graph = source.graphs[static_cast<size_t>(number)];
      if (graph.split) {
        input_error("{}, line {}: graph {} found, which is listed before, in {}.csv", listed.file,
                    listed.rows[n].line, number, parts[static_cast<size_t>(*graph.split)]);
      }
      graph.split = split;
    }
  }
}

// OGB's datasets have one split each. One of several, or another, must be asked for.
std::string only_split(const fs::path& root) {
  std::vector<std::string> names;
  if (fs::is_directory(root / "split")) {
    for (const auto& entry : fs::directory_iterator(root / "split")) {
      if (entry.is_directory()) names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  if (names.size() == 1) return names.front();
  input_error("{}: {} splits found{}{}, one expected; choose with split=NAME, or split=random",
              (root / "split").string(), names.size(), names.empty() ? "" : ": ",
              fmt::join(names, ", "));
}

std::unique_ptr<Dataset> make(const Options& options) {
  const fs::path root = options.word("path");
  if (root.empty())
    input_error("dataset ogb-csv: path= is missing, the folder with raw/ and split/");
  Reader reader(root);
  GraphSource source{.train_nodes = options.integer("train_nodes")};
  read_nodes(reader, source);
  const int64_t paired = read_edges(reader, source);
  read_labels(reader, source, options.word("labels") == "categories");
  const bool by_size = source.train_nodes > 0;
  const std::string& wanted = options.word("split");
  const std::string split = !wanted.empty() || by_size ? wanted : only_split(root);
  if (by_size && !wanted.empty()) {
    input_error("dataset ogb-csv: split={} and train_nodes={} found, one of them expected", wanted,
                source.train_nodes);
  }
  if (split.find('/') != std::string::npos || split == "..") {
    input_error(
        "dataset ogb-csv, option split: '{}' found, the name of a folder below split/ "
        "expected",
        split);
  }
  const bool divided = !by_size && split != "random";
  if (divided) read_splits(reader, root, split, source);
  const auto empty = std::erase_if(
      source.graphs, [](const Graph& graph) { return graph_of(graph.structure).nodes == 0; });
  const auto unlisted =
      std::erase_if(source.graphs, [&](const Graph& graph) { return divided && !graph.split; });
  source.content_hash = reader.hash();
  source.origin = fmt::format(
      "ogb-csv {}: split {}, {} empty graphs and {} in no part of the split left out, edges of {} "
      "graphs listed in both directions, kept once",
      root.filename().string(), by_size ? "by size" : split, empty, unlisted, paired);
  return std::make_unique<GraphDataset>(std::move(source));
}

}  // namespace

/// raw/{num-node-list, num-edge-list, edge, node-feat, edge-feat, graph-label}.csv[.gz] without
/// header and split/NAME/{train, valid, test}.csv[.gz] with the numbers of graphs. Node features
/// that are whole numbers are categories, else numbers; an empty label is missing. A graph that the
/// split does not list is left out and counted, one that it lists twice is an error.
DatasetEntry dataset_ogb_csv() {
  return {
      .version = 2,
      .summary = "a graph dataset of the Open Graph Benchmark (ogbg-mol*), from its folder",
      .options = {{"path", std::string(), "the folder with raw/ and split/"},
                  {"labels", "numbers", "what the labels are", {"numbers", "categories"}},
                  {"split", std::string(), "folder below split/; empty: the only one"},
                  {"train_nodes",
                   int64_t{0},
                   "divide by size instead: larger graphs test alone; 0: no",
                   {},
                   0}},
      .make = make,
  };
}

}  // namespace relbias::modalities
