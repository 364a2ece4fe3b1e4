// SPDX-License-Identifier: Apache-2.0
// modalities/graph/reading: molecules written as SMILES, read by RDKit.
#pragma once

#include <map>
#include <string>

#include "modalities/graph/graph.h"

namespace relbias::modalities {

/// How an atom becomes a node category: its class (C, N, O, S, halogen, other) or its element (the
/// atomic number).
enum class Atoms { classes, elements };
int64_t atom_categories(Atoms atoms);  // 6 or 119

/// Kinds of bonds, one-hot edge features in this order: single, double, triple, aromatic.
inline constexpr int64_t bond_kinds = 4;

inline constexpr int64_t most_canonical_atoms = 1000;

/// A molecule as a graph, or why there is none.
struct Molecule {
  // Its key is the canonical SMILES, without stereo centres, which nodes and edges do not show; of
  // more than most_canonical_atoms, whose numbering takes RDKit seconds, the text as it is written.
  Graph graph{};
  // Empty, or: does not parse | has several fragments | has no atoms | is too long
  std::string fault{};
};

/// Longer texts are not read: the time that RDKit takes grows with the square of their rings.
inline constexpr size_t most_characters = size_t{1} << 15;

/// Atoms without hydrogens are nodes, bonds are edges, in the order of the text. RDKit's checks of
/// valence and aromaticity apply: a molecule that fails them does not parse. `CCO`: nodes C C O,
/// edges 0-1 1-2.
Molecule read_smiles(const std::string& smiles, Atoms atoms);

/// Steps between the two atoms N, O or S that are farthest apart, 0 where there are fewer than two.
/// OCCN: 3.
double largest_heteroatom_distance(const Graph& molecule);  // with Atoms::classes

/// Balaban's J: M / (M - N + 2) times the sum over bonds i-j of 1 / sqrt(s_i s_j), s the sum of an
/// atom's steps to all others, N atoms and M bonds, whatever they are (Balaban 1982). NaN for one
/// atom. CCO: 1.63299.
double balaban_j(const Graph& molecule);

/// How many lines were left out, and why, for a report.
class SmilesCounts {
 public:
  /// `place`: where it stands, for the first of each kind.
  void add(const Molecule& molecule, const std::string& place);
  std::string text()
      const;  // `8 unparsable (first line 7 'C1CC'), 0 of several fragments, 0 empty`

 private:
  struct Count {
    int64_t number = 0;
    std::string first{};
  };
  std::map<std::string, Count> by_fault_;
};

}  // namespace relbias::modalities
