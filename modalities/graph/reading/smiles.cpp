// SPDX-License-Identifier: Apache-2.0
// modalities/graph/reading: atoms and bonds from RDKit.
#include "modalities/graph/reading/smiles.h"

#include <ATen/ATen.h>
#include <GraphMol/GraphMol.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <RDGeneral/RDLog.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "modalities/graph/graph_structure.h"
#include "modalities/graph/paths.h"

namespace relbias::modalities {
namespace {

enum AtomClass : int64_t { carbon, nitrogen, oxygen, sulphur, halogen, other };

int64_t class_of(int number) {
  switch (number) {
    case 6:
      return carbon;
    case 7:
      return nitrogen;
    case 8:
      return oxygen;
    case 16:
      return sulphur;
    case 9:
    case 17:
    case 35:
    case 53:
      return halogen;
    default:
      return other;
  }
}

int64_t kind_of(const RDKit::Bond& bond) {
  if (bond.getIsAromatic()) return 3;
  switch (bond.getBondType()) {
    case RDKit::Bond::DOUBLE:
      return 1;
    case RDKit::Bond::TRIPLE:
      return 2;
    default:
      return 0;
  }
}

// Null where the text is no molecule; RDKit's own messages would be one a line of the file.
// Hydrogens are removed and the molecule is checked as RDKit does unasked; what it would do after
// that, the naming of stereo centres, changes no atom and no bond and takes hours for long chains.
std::unique_ptr<RDKit::ROMol> parsed(const std::string& smiles) {
  const RDLog::LogStateSetter silent;
  RDKit::SmilesParserParams text_alone;
  text_alone.sanitize = text_alone.removeHs = false;
  try {
    std::unique_ptr<RDKit::RWMol> molecule(RDKit::SmilesToMol(smiles, text_alone));
    if (molecule) {
      RDKit::MolOps::removeHs(*molecule, /*implicitOnly=*/false, /*updateExplicitCount=*/true);
    }
    return molecule;
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

int64_t atom_categories(Atoms atoms) { return atoms == Atoms::classes ? 6 : 119; }

Molecule read_smiles(const std::string& smiles, Atoms atoms) {
  if (smiles.size() > most_characters) return {.fault = "is too long"};
  const auto molecule = parsed(smiles);
  if (!molecule) return {.fault = "does not parse"};
  if (molecule->getNumAtoms() == 0) return {.fault = "has no atoms"};
  std::vector<int> fragment;
  if (RDKit::MolOps::getMolFrags(*molecule, fragment) > 1)
    return {.fault = "has several fragments"};
  const auto count = static_cast<int64_t>(molecule->getNumAtoms());
  constexpr size_t shown = 200;
  const std::string name = smiles.size() <= shown ? smiles : smiles.substr(0, shown) + "...";
  Molecule read{.graph = new_graph("molecule " + name, count)};
  std::vector<int64_t> categories;
  for (const RDKit::Atom* atom : molecule->atoms()) {
    const int number = atom->getAtomicNum();
    categories.push_back(atoms == Atoms::classes ? class_of(number) : number);
  }
  read.graph.categories = at::tensor(categories, at::kLong).unsqueeze(1);
  std::vector<int64_t> kinds;
  for (const RDKit::Bond* bond : molecule->bonds()) {
    edit_graph(read.graph.structure)
        .edges.push_back({bond->getBeginAtomIdx(), bond->getEndAtomIdx()});
    kinds.push_back(kind_of(*bond));
  }
  edit_graph(read.graph.structure).both_ways = true;
  edit_graph(read.graph.structure).edge_features =
      at::one_hot(at::tensor(kinds, at::kLong), bond_kinds).to(at::kFloat);
  read.graph.key = count <= most_canonical_atoms
                       ? RDKit::MolToSmiles(*molecule, /*doIsomericSmiles=*/false)
                       : smiles;
  return read;
}

double largest_heteroatom_distance(const Graph& molecule) {
  const Tensor kind = molecule.categories.select(1, 0);
  const Tensor marked = (kind == nitrogen).logical_or(kind == oxygen).logical_or(kind == sulphur);
  if (marked.sum().item<int64_t>() < 2) return 0;
  const auto* const is_marked = marked.data_ptr<bool>();
  int32_t largest = 0;
  for_hops_of_every_node(molecule.structure, false,
                         [&](int64_t source, const std::vector<int32_t>& hops) {
                           for (int64_t node = 0; is_marked[source] && node < source; ++node) {
                             if (is_marked[node]) largest = std::max(largest, hops[node]);
                           }
                         });
  return largest;
}

double balaban_j(const Graph& molecule) {
  const Structure& graph = molecule.structure;
  if (graph_of(graph).nodes < 2) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> sums(static_cast<size_t>(graph_of(graph).nodes));
  for_hops_of_every_node(graph, false, [&](int64_t node, const std::vector<int32_t>& hops) {
    for (const int32_t steps : hops) sums[static_cast<size_t>(node)] += steps;
  });
  double bonds = 0;
  for (const auto& [from, to] : graph_of(graph).edges) {
    bonds += 1 / std::sqrt(sums[static_cast<size_t>(from)] * sums[static_cast<size_t>(to)]);
  }
  const auto edges = static_cast<double>(graph_of(graph).edges.size());
  return edges / (edges - static_cast<double>(graph_of(graph).nodes) + 2) * bonds;
}

void SmilesCounts::add(const Molecule& molecule, const std::string& place) {
  if (molecule.fault.empty()) return;
  Count& count = by_fault_[molecule.fault];
  if (count.number++ == 0) count.first = place;
}

std::string SmilesCounts::text() const {
  std::string text;
  const auto add = [&](const char* fault, const std::string& what, bool always) {
    const auto found = by_fault_.find(fault);
    if (found == by_fault_.end() && !always) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        found == by_fault_.end() ? 0 : found->second.number, what);
    if (found != by_fault_.end()) text += fmt::format(" (first {})", found->second.first);
  };
  add("does not parse", "unparsable", true);
  add("has several fragments", "of several fragments", true);
  add("has no atoms", "empty", true);
  add("is too long", fmt::format("of more than {} characters", most_characters), false);
  return text;
}

}  // namespace relbias::modalities
