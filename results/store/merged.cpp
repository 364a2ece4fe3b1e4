// SPDX-License-Identifier: Apache-2.0
// results/store: many runs in one HDF5 file, for pandas.
#include "results/store/merged.h"

#include "results/schema.h"
#include "results/store/store.h"

namespace relbias::results {
namespace {

template <typename Value>
StoredColumn column(const std::string& name, std::vector<Value> values) {
  return {name, StoredColumnValues(std::move(values))};
}

StoredTable runs_table(const std::vector<RunRecord>& runs) {
  StoredTable table;
  visit_attributes([&](const char* name, auto member) {
    std::vector<decltype(stored(runs.front().*member))> values;
    for (const RunRecord& run : runs) values.push_back(stored(run.*member));
    table.push_back(column(name, std::move(values)));
  });
  return table;
}

// The rows of one kind of all runs, behind a column that says whose they are.
template <typename Row>
StoredTable rows_table(const std::vector<RunRecord>& runs, std::vector<Row> RunRecord::*rows) {
  std::vector<std::string> owners;
  for (const RunRecord& run : runs) owners.insert(owners.end(), (run.*rows).size(), run.run_id);
  StoredTable table = {column("run_id", std::move(owners))};
  visit_columns<Row>([&](const char* name, auto member) {
    std::vector<std::remove_cvref_t<decltype(std::declval<Row>().*member)>> values;
    for (const RunRecord& run : runs) {
      for (const Row& row : run.*rows) values.push_back(row.*member);
    }
    table.push_back(column(name, std::move(values)));
  });
  return table;
}

}  // namespace

void write_merged(const std::filesystem::path& file, const std::vector<RunRecord>& runs) {
  StoredContents contents;
  contents.attributes["kind"] = std::string("merged runs");
  contents.datasets.push_back({"runs", runs_table(runs)});
  contents.datasets.push_back({"evaluation", rows_table(runs, &RunRecord::evaluation)});
  contents.datasets.push_back({"train", rows_table(runs, &RunRecord::train)});
  write_contents(file, contents);
}

}  // namespace relbias::results
