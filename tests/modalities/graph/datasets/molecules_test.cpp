// SPDX-License-Identifier: Apache-2.0
// tests: molecules from SMILES, the NCI's and those of a table.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <chrono>
#include <map>
#include <set>

#include "modalities/graph/graph_structure.h"
#include "modalities/graph/paths.h"
#include "modalities/graph/reading/smiles.h"
#include "tests/modalities/graph/graphs.h"
#include "tests/scratch_folder.h"

namespace relbias::modalities {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::unique_ptr<Dataset> make(const std::string& name, const std::string& options) {
  const auto& entry = find_entry("dataset", name, dataset_entries());
  return entry.make(parse_options("dataset", name + " " + options, entry.options));
}

const GraphDataset& graphs(const Dataset& dataset) {
  return dynamic_cast<const GraphDataset&>(dataset);
}

TEST(Smiles, AtomsAndBonds) {
  const Molecule molecule = read_smiles("OCC#N", Atoms::classes);
  EXPECT_EQ(graph_of(molecule.graph.structure).nodes, 4);
  EXPECT_MATRIX(molecule.graph.categories.t(), matrix({{2, 0, 0, 1}}));
  EXPECT_THAT(graph_of(molecule.graph.structure).edges,
              ElementsAre(ElementsAre(0, 1), ElementsAre(1, 2), ElementsAre(2, 3)));
  EXPECT_MATRIX(graph_of(molecule.graph.structure).edge_features,
                matrix({{1, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 1, 0}}));
  EXPECT_EQ(largest_heteroatom_distance(molecule.graph), 3);
  EXPECT_MATRIX(read_smiles("FC(=O)[Na]", Atoms::elements).graph.categories.t(),
                matrix({{9, 6, 8, 11}}));
  EXPECT_MATRIX(read_smiles("FC(=O)[Na]", Atoms::classes).graph.categories.t(),
                matrix({{4, 0, 2, 5}}));
  const Molecule benzene = read_smiles("C1=CC=CC=C1", Atoms::classes);
  EXPECT_EQ(graph_of(benzene.graph.structure).edge_features.select(1, 3).sum().item<float>(), 6);
  EXPECT_EQ(largest_heteroatom_distance(read_smiles("CCO", Atoms::classes).graph), 0);
}

TEST(Smiles, WhatIsNoGraphSaysWhy) {
  EXPECT_EQ(read_smiles("C1CC", Atoms::classes).fault, "does not parse");
  EXPECT_EQ(read_smiles("C(C)(C)(C)(C)C", Atoms::classes).fault, "does not parse");  // valence
  EXPECT_EQ(read_smiles("no molecule", Atoms::classes).fault, "does not parse");
  EXPECT_EQ(read_smiles("CC.O", Atoms::classes).fault, "has several fragments");
  EXPECT_EQ(read_smiles("", Atoms::classes).fault, "has no atoms");
  const Molecule single = read_smiles("C", Atoms::classes);
  EXPECT_EQ(graph_of(single.graph.structure).nodes, 1);
  EXPECT_EQ(graph_of(single.graph.structure).edge_features.sizes(), (at::IntArrayRef{0, 4}));
}

// Hydrogens are no nodes, but those that make up a molecule or are isotopes.
TEST(Smiles, HydrogensAreRemoved) {
  const auto nodes = [](const std::string& smiles) {
    return graph_of(read_smiles(smiles, Atoms::elements).graph.structure).nodes;
  };
  EXPECT_EQ(nodes("[H]OC([H])([H])C"), 3);
  EXPECT_EQ(nodes("N[C@@]([H])(C)C(=O)O"), 6);
  EXPECT_EQ(nodes("[2H]C"), 2);
  EXPECT_EQ(nodes("[H][H]"), 2);
  EXPECT_EQ(nodes("[H]/N=C/C"), 4);  // tells the sides of the double bond apart
}

// A chain of carbon with an oxygen at both ends.
Graph chain_of(int64_t atoms) {
  Graph chain = new_graph("chain", atoms);
  for (int64_t atom = 1; atom < atoms; ++atom)
    edit_graph(chain.structure).edges.push_back({atom - 1, atom});
  chain.categories = at::zeros({atoms, 1}, at::kLong);
  for (const int64_t end : {int64_t{0}, atoms - 1}) chain.categories[end][0].fill_(2);
  return chain;
}

TEST(Smiles, HeteroatomsInDifferentFragmentsAreNotApart) {
  Graph parts = chain_of(3);  // O-C-O, and S-N beside it
  edit_graph(parts.structure).nodes = 5;
  edit_graph(parts.structure).edges.push_back({3, 4});
  parts.categories = at::tensor({2, 0, 2, 3, 1}, at::kLong).unsqueeze(1);
  EXPECT_EQ(largest_heteroatom_distance(parts), 2);
  edit_graph(parts.structure).edges.clear();
  EXPECT_EQ(largest_heteroatom_distance(parts), 0);
}

// The distances of all its pairs would take more memory than one graph may.
TEST(Smiles, HeteroatomsOfAMoleculeMayBeFarApart) {
  EXPECT_THAT(error_of([] { hop_distances(chain_of(8193).structure, false); }),
              HasSubstr("chain of 8193 nodes"));
  EXPECT_EQ(largest_heteroatom_distance(chain_of(8193)), 8192);
}

// The naming of stereo centres would take a minute for 4000 atoms.
TEST(Smiles, LongChainsAreReadInTime) {
  const auto started = std::chrono::steady_clock::now();
  const Graph chain = read_smiles(std::string(8000, 'C'), Atoms::classes).graph;
  EXPECT_EQ(graph_of(chain.structure).nodes, 8000);
  EXPECT_LT(chain.structure.name.size(), 300u);
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(60));
  const Molecule molecule = read_smiles(std::string(40'000, 'C'), Atoms::classes);
  EXPECT_EQ(molecule.fault, "is too long");
  SmilesCounts counts;
  counts.add(molecule, "line 3");
  EXPECT_THAT(counts.text(), HasSubstr("0 empty, 1 of more than 32768 characters (first line 3)"));
}

TEST(Smiles, OneMoleculeHasOneKey) {
  const auto key = [](const std::string& smiles) {
    return read_smiles(smiles, Atoms::classes).graph.key;
  };
  const std::string caffeine = key("CN1C=NC2=C1C(=O)N(C(=O)N2C)C");
  EXPECT_FALSE(caffeine.empty());
  for (const char* other : {"Cn1cnc2c1c(=O)n(C)c(=O)n2C", "O=C1N(C)C(=O)N(C)C2=C1N(C)C=N2",
                            "c1nc2c(n1C)c(=O)n(C)c(=O)n2C"}) {
    EXPECT_EQ(key(other), caffeine) << other;
  }
  EXPECT_NE(key("CN1C=NC2=C1C(=O)NC(=O)N2C"), caffeine);
}

// Distance sums of CCO: 3 2 3; two bonds of 1 / sqrt(6), 2 / (2 - 3 + 2) of them. A ring of three:
// sums 2 2 2, three bonds of 1/2, 3 / 2 of them.
TEST(Smiles, BalabanJ) {
  EXPECT_NEAR(balaban_j(read_smiles("CCO", Atoms::classes).graph), 4 / std::sqrt(6.0), 1e-12);
  EXPECT_NEAR(balaban_j(read_smiles("C1CC1", Atoms::classes).graph), 2.25, 1e-12);
  EXPECT_TRUE(std::isnan(balaban_j(read_smiles("C", Atoms::classes).graph)));
}

TEST(Molecules, AreThoseOfTheFile) {
  const auto dataset = make("molecules", "");
  for (const char* part : {"4999 lines, as in rdkit-data 202209.3", "98 copies", "6 unparsable",
                           "138 of several fragments"}) {
    EXPECT_THAT(dataset->report(), HasSubstr(part));
  }
  std::set<std::string> names;
  std::map<int, int> bins;
  for (const Split split : all_splits) {
    for (const Graph* graph : graphs(*dataset).graphs(split)) {
      EXPECT_TRUE(names.insert(graph->structure.name).second) << graph->structure.name;
      const int64_t nodes = graph_of(graph->structure).nodes;
      EXPECT_GE(nodes, 4);
      EXPECT_TRUE(split == Split::test || nodes <= 15);
      EXPECT_EQ(component_count(graph->structure), 1);
      ++bins[nodes <= 15 ? 0 : nodes <= 25 ? 1 : nodes <= 40 ? 2 : 3];
    }
  }
  EXPECT_THAT(bins, ElementsAre(Pair(0, 2643), Pair(1, 1653), Pair(2, 397), Pair(3, 58)))
      << dataset->report();
}

TEST(Molecules, MissingFilesAreNamed) {
  const ScratchFolder folder;
  EXPECT_THAT(error_of([&] { make("molecules", "path=" + folder.path().string()); }),
              HasSubstr("first_5K.smi does not exist"));
  folder.write("first_5K.smi", "CCCC 1\n");
  folder.write("first_5k.tpsa.csv", "# comment\nCCCC;1\n");
  EXPECT_THAT(error_of([&] { make("molecules", "path=" + folder.path().string()); }),
              HasSubstr("first_5k.tpsa.csv, line 2: 'CCCC;1' found, SMILES,NUMBER expected"));
}

TEST(Molecules, LinesMayEndAsOnWindows) {
  const ScratchFolder folder;
  std::string molecules, areas = "# SMILES,TPSA\r\n\r\n";
  for (int n = 0; n < 20; ++n) {
    const std::string smiles = std::string(4 + n, 'C') + "O";
    molecules += fmt::format("{} {}\r\n", smiles, n);
    areas += fmt::format("{},{}.5\r\n", smiles, n);
  }
  folder.write("first_5K.smi", molecules);
  folder.write("first_5k.tpsa.csv", areas);
  const auto dataset = make("molecules", "train_nodes=40 path=" + folder.path().string());
  EXPECT_THAT(dataset->report(), HasSubstr("20 lines, 0 copies, 0 unparsable"));
  EXPECT_THAT(dataset->report(), HasSubstr("0 under 4 atoms, 0 without a surface area"));
  for (const Split split : all_splits) {
    for (const Graph* graph : graphs(*dataset).graphs(split)) {
      EXPECT_EQ(graph->labels[1].item<double>(),
                static_cast<double>(graph_of(graph->structure).nodes - 5) + 0.5);
    }
  }
}

TEST(SmilesCsv, AnInchIsNoQuote) {
  const ScratchFolder folder;
  std::string text = "smiles,y,note\n";
  for (int n = 0; n < 20; ++n) {
    text += fmt::format("CC{},{},tube {}\" wide\n", std::string(n, 'C'), n, n);
  }
  const auto dataset = make("smiles-csv", "path=" + folder.write("table.csv", text));
  EXPECT_THAT(dataset->report(), HasSubstr("20 rows, 0 copies left out, 0 unparsable"));
}

TEST(SmilesCsv, ReadsTablesWithQuotesAndMissingLabels) {
  const ScratchFolder folder;
  std::string text = "name,smiles,logP,qed\n";
  text += "\"a, quoted\",\"CCO\n\",0.5,1\n";  // as in ZINC: a line end inside the cell
  text += "b,CC,,2\nc,C1CC,1,3\nd,C.C,1,3\ne,,1,3\nf,O=C=O,-1e-1,nan\n";
  for (int n = 0; n < 20; ++n) text += fmt::format("g{},C{},{},0\n", n, std::string(n, 'C'), n);
  const std::string path = "path=" + folder.write("table.csv", text);
  const auto dataset = make("smiles-csv", path);
  EXPECT_THAT(dataset->report(),
              HasSubstr("26 rows, 1 copies left out, 1 unparsable (first line 5 'C1CC'), 1 of "
                        "several fragments (first line 6 'C.C'), 1 empty (first line 7 ''), labels "
                        "logP qed"));
  EXPECT_THAT(dataset->report(), HasSubstr("2 missing labels"));
  ASSERT_EQ(graphs(*dataset).targets().size(), 2u);
  EXPECT_EQ(graphs(*dataset).targets()[0].name, "logP");
  EXPECT_EQ(graphs(*dataset).targets()[1].name, "qed");
  const auto classes = make("smiles-csv", path + " targets=qed labels=categories");
  EXPECT_EQ(graphs(*classes).targets()[0].categories, 4);
}

TEST(SmilesCsv, NamesWhatIsWrong) {
  const ScratchFolder folder;
  const auto message = [&](const std::string& text, const std::string& options = "") {
    const std::string path = folder.write("table.csv", text);
    return error_of([&] { make("smiles-csv", "path=" + path + options); });
  };
  EXPECT_THAT(message(""), HasSubstr("is empty"));
  EXPECT_THAT(message("SMILE,x\nC,1\n"), HasSubstr("unknown column of"));
  EXPECT_THAT(message("smiles,x\nC,1\nCC,one\n", " targets=x"),
              HasSubstr("line 3, column 2: 'one' found, a number expected"));
  EXPECT_THAT(message("smiles,x\nC,1\nCC\n", " targets=x"), HasSubstr("line 3: 1 cells found"));
  EXPECT_THAT(message("smiles,x\nC,\"1\n"), HasSubstr("a double quote is not closed"));
  EXPECT_THAT(message("smiles,x\nC,one\n"), HasSubstr("no column holds numbers"));
  EXPECT_THAT(message("smiles,x\n"), HasSubstr("and nothing below it"));
  EXPECT_THAT(message("smiles,x\nC,1,2\n"), HasSubstr("line 2: 3 cells found, 2 expected"));
  EXPECT_THAT(message("smiles,x,y,x\nC,1,2,3\n"),
              HasSubstr("table.csv: the columns 2 and 4 found with one name, 'x'"));
  EXPECT_THAT(message("smiles,x\nC,1\n", " targets=x,x"), HasSubstr("each column once expected"));
  EXPECT_THAT(message("smiles,x\nC,1\nC,1e300\n"),
              HasSubstr("table.csv, line 3, column 2: '1e300' found, a number from -1e+18 to"));
  EXPECT_THAT(message("smiles,x\nC1,1\n"), HasSubstr("0 graphs are too few"));
  EXPECT_THAT(message("smiles,x\nC,0.5\n", " labels=categories"),
              HasSubstr("line 2, column 2: '0.5' found, a category from 0 to 1048575 expected"));
  EXPECT_THAT(message("smiles,x\nC,4000000000\n", " labels=categories"),
              HasSubstr("'4000000000' found, a category from 0 to 1048575 expected"));
}

TEST(SmilesCsv, ColumnsOfNumbersAreLabelsWhateverTheOrderOfTheRows) {
  const ScratchFolder folder;
  const auto labels = [&](const std::string& first, const std::string& last) {
    std::string text = "smiles,y,z\nC," + first + ",0\n";
    for (int n = 0; n < 20; ++n) text += fmt::format("CC{},1,2\n", std::string(n, 'C'));
    const std::string path = folder.write("table.csv", text + "CCO," + last + ",0\n");
    return graphs(*make("smiles-csv", "path=" + path)).targets().size();
  };
  EXPECT_EQ(labels("0", "1"), 2u);
  EXPECT_EQ(labels("text", "1"), 1u);
  EXPECT_EQ(labels("1", "text"), 1u);
}

// A data frame is saved with the numbers of its rows in front, in a column without a name.
TEST(SmilesCsv, TheNumbersOfTheRowsAreNoLabel) {
  const ScratchFolder folder;
  for (const char* name : {"", "Unnamed: 0", "\"\""}) {
    std::string text = std::string(name) + ",smiles,y\n";
    for (int n = 0; n < 20; ++n) text += fmt::format("{},CC{},{}\n", n, std::string(n, 'C'), n % 3);
    const auto dataset = make("smiles-csv", "path=" + folder.write("table.csv", text));
    ASSERT_EQ(graphs(*dataset).targets().size(), 1u) << name;
    EXPECT_EQ(graphs(*dataset).targets()[0].name, "y");
    EXPECT_THAT(dataset->report(), HasSubstr("labels y, column 1 without a name not used"));
  }
}

TEST(SmilesCsv, TheMarkOfUtf8IsNoPartOfTheFirstName) {
  const ScratchFolder folder;
  std::string text = "\xEF\xBB\xBFsmiles,y\n";
  for (int n = 0; n < 20; ++n) text += fmt::format("CC{},1\n", std::string(n, 'C'));
  const auto dataset = make("smiles-csv", "path=" + folder.write("table.csv", text));
  EXPECT_THAT(dataset->report(), HasSubstr("20 rows"));
}

}  // namespace
}  // namespace relbias::modalities
