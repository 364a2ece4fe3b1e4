// SPDX-License-Identifier: Apache-2.0
// modalities/graph: dataset `smiles-csv`, molecules and their properties from a table.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <unordered_set>

#include "modalities/graph/reading/smiles.h"
#include "modalities/plain/csv.h"

namespace relbias::modalities {
namespace {

namespace fs = std::filesystem;

struct Table {
  std::string file;
  std::vector<std::string> header;
  std::vector<CsvRow> rows;

  size_t column(const std::string& name) const {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end()) unknown_word("column of " + file, name, header);
    return static_cast<size_t>(found - header.begin());
  }
};

// Every row has a cell for every column, and every column a name of its own.
Table read_table(const fs::path& path, const std::string& text) {
  Table table{path.string(), {}, parse_csv(path.string(), text)};
  if (table.rows.empty()) input_error("{} is empty, a row of column names expected", table.file);
  check_widths(table.file, table.rows);
  table.header = table.rows.front().cells;
  table.rows.erase(table.rows.begin());
  if (table.rows.empty()) {
    input_error("{}: a row of column names found and nothing below it", table.file);
  }
  for (size_t n = 0; n < table.header.size(); ++n) {
    const size_t first = table.column(table.header[n]);
    if (first == n) continue;
    input_error("{}: the columns {} and {} found with one name, '{}'", table.file, first + 1, n + 1,
                table.header[n]);
  }
  return table;
}

size_t smiles_column(const Table& table, const std::string& wanted) {
  if (!wanted.empty()) return table.column(wanted);
  for (const char* name : {"smiles", "SMILES", "Smiles"}) {
    if (std::find(table.header.begin(), table.header.end(), name) != table.header.end()) {
      return table.column(name);
    }
  }
  return table.column("smiles");
}

// Whether a column holds numbers and nothing else, whatever the order of its rows.
bool is_numeric(const Table& table, size_t column) {
  bool some = false;
  for (const CsvRow& row : table.rows) {
    const auto number = number_of(row.cells[column]);
    if (!number) return false;
    some = some || !std::isnan(*number);
  }
  return some;
}

// Whether a column numbers the rows: a saved data frame has one in front, without a name, or called
// so where it was read and saved again.
bool is_index(const Table& table, size_t column) {
  const std::string name = trimmed(table.header[column]);
  return name.empty() || name.starts_with("Unnamed: ");
}

// The columns named, or all that hold numbers.
std::vector<size_t> target_columns(const Table& table, const std::string& wanted, size_t smiles) {
  std::vector<size_t> columns;
  std::istringstream words(wanted);
  for (std::string word; std::getline(words, word, ',');) columns.push_back(table.column(word));
  for (size_t n = 0; wanted.empty() && n < table.header.size(); ++n) {
    if (n != smiles && !is_index(table, n) && is_numeric(table, n)) columns.push_back(n);
  }
  if (std::set<size_t>(columns.begin(), columns.end()).size() < columns.size()) {
    input_error("dataset smiles-csv, option targets: {} found, each column once expected", wanted);
  }
  if (columns.empty()) {
    input_error("{}: no column holds numbers alone that molecules could be labelled with",
                table.file);
  }
  return columns;
}

// Values 0..k-1 of a column of k categories; numbers as they stand.
void add_target(GraphSource& source, const Table& table, size_t column, bool categories) {
  GraphTarget target{.name = table.header[column]};
  if (categories) {
    int64_t most = 0;
    for (const CsvRow& row : table.rows) {
      if (std::isnan(number_in_cell(table.file, row, column))) continue;
      most = std::max(most,
                      whole_in_cell(table.file, row, column, "a category", 0, most_categories - 1));
    }
    target.kind = Question::Kind::category;
    target.categories = most + 1;
  }
  source.targets.push_back(target);
}

std::unique_ptr<Dataset> make(const Options& options) {
  const fs::path path = options.word("path");
  if (path.empty()) input_error("dataset smiles-csv: path= is missing, a CSV file");
  const Atoms atoms = options.word("atoms") == "classes" ? Atoms::classes : Atoms::elements;
  const std::string text = read_maybe_compressed(path);
  const Table table = read_table(path, text);
  const size_t smiles = smiles_column(table, options.word("smiles"));
  const auto columns = target_columns(table, options.word("targets"), smiles);
  GraphSource source{.origin = {},
                     .content_hash = content_hash({{path.filename().string(), text}}),
                     .category_counts = {atom_categories(atoms)},
                     .train_nodes = options.integer("train_nodes")};
  for (const size_t column : columns) {
    add_target(source, table, column, options.word("labels") == "categories");
  }
  SmilesCounts counts;
  int64_t copies = 0;
  std::unordered_set<std::string> seen;
  for (const CsvRow& row : table.rows) {
    std::vector<Tensor> labels;
    for (const size_t column : columns) {
      labels.push_back(at::full({1}, number_in_cell(table.file, row, column), at::kDouble));
    }
    const std::string written = trimmed(row.cells[smiles]);
    Molecule molecule = read_smiles(written, atoms);
    counts.add(molecule, fmt::format("line {} '{}'", row.line, written.substr(0, 40)));
    if (!molecule.fault.empty()) continue;
    if (!seen.insert(molecule.graph.key).second) {  // a copy in another split would be a leak
      ++copies;
      continue;
    }
    molecule.graph.structure.name += fmt::format(" of line {}", row.line);
    molecule.graph.labels = std::move(labels);
    source.graphs.push_back(std::move(molecule.graph));
  }
  std::string names;
  for (const GraphTarget& target : source.targets) names += " " + target.name;
  for (size_t n = 0; n < table.header.size(); ++n) {
    const bool used = std::count(columns.begin(), columns.end(), n) != 0;
    if (is_index(table, n) && !used)
      names += fmt::format(", column {} without a name not used", n + 1);
  }
  source.origin = fmt::format("smiles-csv {}: {} rows, {} copies left out, {}, labels{}",
                              path.string(), table.rows.size(), copies, counts.text(), names);
  return std::make_unique<GraphDataset>(std::move(source));
}

}  // namespace

/// The first row names the columns. An empty cell or `nan` is a missing label; rows whose SMILES
/// does not parse, has no atoms or several fragments, or is longer than 32,768 characters are left
/// out and counted.
DatasetEntry dataset_smiles_csv() {
  return {
      .version = 2,
      .summary =
          "molecules of any CSV file with a column of SMILES and columns of numbers "
          "(ZINC-250k, ESOL, MoleculeNet)",
      .options = {{"path", std::string(), "the file; FILE stands for FILE.gz, too"},
                  {"smiles", std::string(), "its column; empty: smiles or SMILES"},
                  {"targets", std::string(), "label columns, a,b,c; empty: all of numbers"},
                  {"labels", "numbers", "what the labels are", {"numbers", "categories"}},
                  {"atoms",
                   "classes",
                   "what nodes show: six classes, or the element",
                   {"classes", "elements"}},
                  {"train_nodes", int64_t{0}, "larger molecules test alone; 0: none", {}, 0}},
      .make = make,
  };
}

}  // namespace relbias::modalities
