// SPDX-License-Identifier: Apache-2.0
// modalities/graph: dataset `molecules`, the first 5,000 structures of the NCI's open database.
#include <ATen/ATen.h>

#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "modalities/graph/graph_structure.h"
#include "modalities/graph/reading/smiles.h"
#include "modalities/plain/csv.h"

namespace relbias::modalities {
namespace {

namespace fs = std::filesystem;

constexpr int64_t least_atoms = 4;
constexpr std::string_view published_hash = "44beab7115f7d400e2423f0487d558e6d8f38f75";

// `SMILES,TPSA` a line; comments begin with #.
std::unordered_map<std::string, double> surface_areas(const std::string& path,
                                                      const std::string& text) {
  std::unordered_map<std::string, double> areas;
  std::istringstream lines(text);
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (trimmed(line).empty() || line.front() == '#') continue;
    const size_t comma = line.rfind(',');
    const auto area =
        comma == std::string::npos ? std::nullopt : number_of(trimmed(line.substr(comma + 1)));
    if (!area || !std::isfinite(*area)) {
      input_error("{}, line {}: '{}' found, SMILES,NUMBER expected", path, number, line);
    }
    areas[line.substr(0, comma)] = *area;
  }
  return areas;
}

struct Counts {
  SmilesCounts smiles;
  std::unordered_set<std::string> seen;  // canonical
  int64_t lines = 0, copies = 0, small = 0, without_area = 0;
};

void add_molecule(GraphSource& source, const std::string& smiles, Counts& counts,
                  const std::unordered_map<std::string, double>& areas) {
  Molecule molecule = read_smiles(smiles, Atoms::classes);
  counts.smiles.add(molecule, fmt::format("line {} '{}'", counts.lines, smiles));
  if (!molecule.fault.empty()) return;
  if (graph_of(molecule.graph.structure).nodes < least_atoms) {
    ++counts.small;
    return;
  }
  const auto area = areas.find(smiles);
  if (area == areas.end()) {
    ++counts.without_area;
    return;
  }
  if (!counts.seen.insert(molecule.graph.key).second) {
    ++counts.copies;
    return;
  }
  molecule.graph.labels = {at::full({1}, largest_heteroatom_distance(molecule.graph), at::kDouble),
                           at::full({1}, area->second, at::kDouble),
                           at::full({1}, balaban_j(molecule.graph), at::kDouble)};
  source.graphs.push_back(std::move(molecule.graph));
}

std::unique_ptr<Dataset> make(const Options& options) {
  fs::path folder = options.word("path");
  if (folder.empty()) folder = data_folder() / "rdkit-data";
  const std::vector<File> files = {{"first_5K.smi", read_file(folder / "first_5K.smi")},
                                   {"first_5k.tpsa.csv", read_file(folder / "first_5k.tpsa.csv")}};
  GraphSource source;
  source.content_hash = content_hash(files);
  source.train_nodes = options.integer("train_nodes");
  source.category_counts = {atom_categories(Atoms::classes)};
  source.targets = {{.name = "heteroatom-distance",
                     .steps = true,
                     .gate = "typed distances: the largest of those that the relation states"},
                    {.name = "tpsa"},
                    {.name = "balaban-j"}};
  const auto areas = surface_areas((folder / files[1].name).string(), files[1].bytes);
  Counts counts;
  std::istringstream lines(files[0].bytes);
  for (std::string line; std::getline(lines, line);) {
    ++counts.lines;
    const std::string smiles = line.substr(0, line.find_first_of(" \t\r"));
    add_molecule(source, smiles, counts, areas);
  }
  source.origin = fmt::format(
      "molecules: {} lines{}, {} copies, {}, {} under {} atoms, {} without a surface area",
      counts.lines, source.content_hash == published_hash ? ", as in rdkit-data 202209.3" : "",
      counts.copies, counts.smiles.text(), counts.small, least_atoms, counts.without_area);
  return std::make_unique<GraphDataset>(std::move(source));
}

}  // namespace

/// Targets: `heteroatom-distance`, the steps between the two N, O or S atoms farthest apart, which
/// takes typed distances to know; `tpsa`, the polar surface area as the file has it, which counts
/// of atoms nearly give; `balaban-j`, which counts of atoms give in part (R2 .42) and the graph
/// whole. Molecules of at most `train_nodes` heavy atoms are divided, larger ones
/// test. A molecule counts once, however it is spelt: copies in another split would be a leak.
DatasetEntry dataset_molecules() {
  return {
      .version = 2,
      .summary =
          "about 4,750 molecules of 4 to 122 heavy atoms from the NCI's open database, from "
          "Debian's rdkit-data (BSD-3-Clause)",
      .options = {{"path", std::string(),
                   "folder with first_5K.smi and first_5k.tpsa.csv; empty: the one that "
                   "experiments/setup made"},
                  {"train_nodes", int64_t{15}, "larger molecules are for testing alone", {}, 4}},
      .make = make,
  };
}

}  // namespace relbias::modalities
