// SPDX-License-Identifier: Apache-2.0
// tests: dataset `melting-points`.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <set>

#include "modalities/graph/graph.h"
#include "modalities/graph/graph_structure.h"
#include "tests/error_of.h"
#include "tests/scratch_folder.h"

namespace relbias::modalities {
namespace {

using testing::HasSubstr;

std::unique_ptr<Dataset> make(const std::string& options = "") {
  const auto& entry = find_entry("dataset", "melting-points", dataset_entries());
  return entry.make(parse_options("dataset", "melting-points " + options, entry.options));
}

TEST(MeltingPoints, AreMeasuredOncePerMolecule) {
  const auto dataset = make();
  EXPECT_THAT(dataset->report(), HasSubstr("as in chemicals 1.5.2"));
  const auto& graphs = dynamic_cast<const GraphDataset&>(*dataset);
  std::set<std::string> keys;
  size_t all = 0;
  for (const Split split : all_splits) {
    for (const Graph* graph : graphs.graphs(split)) {
      EXPECT_TRUE(keys.insert(graph->key).second) << graph->key;
      EXPECT_TRUE(split == Split::test || graph_of(graph->structure).nodes <= 16);
      const double kelvin = graph->labels[0].item<double>();
      EXPECT_GT(kelvin, 50) << graph->key;
      EXPECT_LT(kelvin, 1500) << graph->key;
      ++all;
    }
  }
  EXPECT_GT(all, 9000u) << dataset->report();
}

TEST(MeltingPoints, SpellingsOfOneMoleculeAreOne) {
  const ScratchFolder folder;
  std::string table = "smiles,melting-point\nOCCC,147\nCCCO,148\nC(CO)C,149\nC,90\n";
  for (int n = 4; n < 30; ++n) table += std::string(static_cast<size_t>(n), 'C') + ",200\n";
  const auto dataset = make("train_nodes=60 path=" + folder.write("melting.csv", table));
  EXPECT_THAT(dataset->report(), HasSubstr("30 lines, 2 copies, 0 unparsable"));
  EXPECT_THAT(dataset->report(), HasSubstr("1 not of 4 to 60 atoms; 27 graphs"));
  EXPECT_THAT(error_of([&] { make("path=" + folder.write("other.csv", "a,b\n1,2\n")); }),
              HasSubstr("other.csv: a first line smiles,melting-point expected"));
}

}  // namespace
}  // namespace relbias::modalities
