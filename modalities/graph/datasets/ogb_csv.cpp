// SPDX-License-Identifier: Apache-2.0
// modalities/graph: dataset `ogb-csv`, the raw files of the Open Graph Benchmark.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "modalities/csv.h"
#include "modalities/graph/edge_lists.h"

namespace relbias {
namespace {

namespace fs = std::filesystem;

struct Numbers {
  std::string file;
  std::vector<std::vector<double>> rows;
};

class Reader {
 public:
  explicit Reader(fs::path folder) : folder_(std::move(folder)) {}

  bool has(const std::string& name) const {
    return fs::exists(folder_ / name) || fs::exists((folder_ / name).string() + ".gz");
  }

  Numbers read(const std::string& name, EmptyLines empty = EmptyLines::skip) {
    const std::string file = (folder_ / name).string();
    files_.push_back({name, read_maybe_compressed(file)});
    Numbers numbers{file, {}};
    for (const CsvRow& row : parse_csv(file, files_.back().bytes, empty)) {
      auto& cells = numbers.rows.emplace_back();
      for (size_t column = 0; column < row.cells.size(); ++column) {
        cells.push_back(number_in_cell(file, row, column));
      }
      if (cells.size() != numbers.rows.front().size()) {
        input_error("{}, line {}: {} cells found, {} expected as on the first line", file, row.line,
                    cells.size(), numbers.rows.front().size());
      }
    }
    return numbers;
  }

  Numbers read(const std::string& name, size_t count, const char* what) {
    // An only label may be missing: its line is empty.
    const bool labels = name.find("label") != std::string::npos;
    Numbers numbers = read(name, labels ? EmptyLines::keep : EmptyLines::skip);
    if (numbers.rows.size() != count) {
      input_error("{}: {} lines found, one for each of {} {} expected", numbers.file,
                  numbers.rows.size(), count, what);
    }
    return numbers;
  }

  std::string hash() const { return content_hash(files_); }

 private:
  fs::path folder_;
  std::vector<File> files_;
};

size_t total(const Numbers& counts) {
  double sum = 0;
  for (const auto& row : counts.rows) {
    if (!(row.front() >= 0))
      input_error("{}: {} found, a count expected", counts.file, row.front());
    sum += row.front();
  }
  return static_cast<size_t>(sum);
}

void read_nodes(Reader& reader, GraphSource& source) {
  const Numbers counts = reader.read("raw/num-node-list.csv");
  const size_t nodes = total(counts);
  for (size_t n = 0; n < counts.rows.size(); ++n) {
    source.graphs.push_back(
        new_graph(fmt::format("graph {}", n), static_cast<int64_t>(counts.rows[n].front())));
  }
  if (!reader.has("raw/node-feat.csv")) return;
  const Numbers features = reader.read("raw/node-feat.csv", nodes, "nodes");
  if (features.rows.empty()) return;
  const size_t columns = features.rows.front().size();
  bool whole = true;
  std::vector<double> all;
  for (const auto& row : features.rows) {
    for (const double value : row) whole = whole && value >= 0 && value == std::floor(value);
    all.insert(all.end(), row.begin(), row.end());
  }
  const Tensor table = at::tensor(all, at::kDouble).view({-1, static_cast<int64_t>(columns)});
  int64_t first = 0;
  for (Graph& graph : source.graphs) {
    const Tensor rows = table.narrow(0, first, graph.structure.nodes);
    (whole ? graph.categories : graph.numbers) = rows.to(whole ? at::kLong : at::kFloat);
    first += graph.structure.nodes;
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
  const Numbers counts = reader.read("raw/num-edge-list.csv", source.graphs.size(), "graphs");
  const Numbers edges = reader.read("raw/edge.csv", total(counts), "edges");
  Numbers features;
  if (reader.has("raw/edge-feat.csv")) {
    features = reader.read("raw/edge-feat.csv", edges.rows.size(), "edges");
  }
  size_t next = 0;
  int64_t paired = 0;
  for (size_t n = 0; n < source.graphs.size(); ++n) {
    EdgeList list;
    for (double e = 0; e < counts.rows[n].front(); ++e, ++next) {
      const auto& row = edges.rows[next];
      if (row.size() != 2) {
        input_error("{}, row {}: {} cells found, 2 expected", edges.file, next + 1, row.size());
      }
      list.edges.push_back({static_cast<int64_t>(row[0]), static_cast<int64_t>(row[1])});
      if (!features.rows.empty()) list.features.push_back(features.rows[next]);
    }
    set_edges(source.graphs[n], std::move(list), paired);
  }
  return paired;
}

void read_labels(Reader& reader, GraphSource& source, bool categories) {
  const Numbers labels = reader.read("raw/graph-label.csv", source.graphs.size(), "graphs");
  const size_t columns = labels.rows.empty() ? 0 : labels.rows.front().size();
  for (size_t column = 0; column < columns; ++column) {
    GraphTarget target{.name = fmt::format("label{}", column)};
    for (size_t n = 0; n < labels.rows.size(); ++n) {
      const double label = labels.rows[n][column];
      source.graphs[n].labels.push_back(at::full({1}, label, at::kDouble));
      if (!std::isnan(label)) {
        target.categories = std::max(target.categories, static_cast<int64_t>(label) + 1);
      }
    }
    target.kind = categories ? Question::Kind::category : Question::Kind::number;
    source.targets.push_back(target);
  }
}

void read_splits(Reader& reader, const fs::path& root, const std::string& name,
                 GraphSource& source) {
  if (name.empty()) return;
  if (!fs::is_directory(root / "split" / name)) {
    input_error("{} is no folder of a split", (root / "split" / name).string());
  }
  constexpr std::array<const char*, 3> parts = {"train", "valid", "test"};
  for (const Split split : all_splits) {
    const std::string part = parts[static_cast<size_t>(split)];
    const Numbers numbers = reader.read("split/" + name + "/" + part + ".csv");
    for (const auto& row : numbers.rows) {
      if (row.front() < 0 || row.front() >= static_cast<double>(source.graphs.size())) {
        input_error("{}: graph {} found, 0 to {} expected", numbers.file, row.front(),
                    source.graphs.size() - 1);
      }
      source.graphs[static_cast<size_t>(row.front())].split = split;
    }
  }
}

// Whatever there is: OGB's datasets have one split each.
std::string only_split(const fs::path& root) {
  std::vector<std::string> names;
  if (!fs::is_directory(root / "split")) return "";
  for (const auto& entry : fs::directory_iterator(root / "split")) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  return names.size() == 1 ? names.front() : "";
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
  const std::string split =
      options.word("split").empty() ? only_split(root) : options.word("split");
  if (source.train_nodes == 0) read_splits(reader, root, split, source);
  const auto empty =
      std::erase_if(source.graphs, [](const Graph& graph) { return graph.structure.nodes == 0; });
  source.content_hash = reader.hash();
  source.origin = fmt::format(
      "ogb-csv {}: split {}, {} empty graphs left out, edges of {} graphs listed in both "
      "directions, "
      "kept once",
      root.filename().string(),
      source.train_nodes > 0 ? "by size"
      : split.empty()        ? "at random"
                             : split,
      empty, paired);
  return std::make_unique<GraphDataset>(std::move(source));
}

}  // namespace

/// raw/{num-node-list, num-edge-list, edge, node-feat, edge-feat, graph-label}.csv[.gz] without
/// header and split/NAME/{train, valid, test}.csv[.gz] with the numbers of graphs. Node features
/// that are whole numbers are categories, else numbers; an empty label is missing.
DatasetEntry dataset_ogb_csv() {
  return {
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

}  // namespace relbias
