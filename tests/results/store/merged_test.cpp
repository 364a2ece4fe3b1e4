// SPDX-License-Identifier: Apache-2.0
// tests: many runs in one file.
#include "results/store/merged.h"

#include <gmock/gmock.h>

#include "results/store/store.h"
#include "tests/results/table_runs.h"
#include "tests/scratch_folder.h"

namespace relbias::results {
namespace {

using testing::ElementsAre;

const StoredTable& table_in(const StoredContents& contents, const std::string& path) {
  const auto found = std::ranges::find(contents.datasets, path, &StoredDataset::path);
  return held<const StoredTable>(found->data, path);
}

TEST(Merged, EveryRowSaysWhoseItIs) {
  const ScratchFolder folder;
  const auto file = folder.path() / "merged.h5";
  write_merged(file, {table_run("alibi", 0, {{1, 0.99}, {2, 0.9}}), table_run("t5", 1, {{1, 0.98}}),
                      stopped_run("rope", 0, RunStatus::failed, "out of memory")});
  const StoredContents contents = read_contents(file);
  const StoredTable& runs = table_in(contents, "runs");
  EXPECT_THAT(column_in<std::string>(runs, "run_id"), ElementsAre("alibi-0", "t5-1", "rope-0"));
  EXPECT_THAT(column_in<std::string>(runs, "status"), ElementsAre("done", "done", "failed"));
  EXPECT_THAT(column_in<int64_t>(runs, "seed"), ElementsAre(0, 1, 0));
  const StoredTable& evaluation = table_in(contents, "evaluation");
  EXPECT_THAT(column_in<std::string>(evaluation, "run_id"),
              ElementsAre("alibi-0", "alibi-0", "t5-1"));
  EXPECT_THAT(column_in<double>(evaluation, "value"), ElementsAre(0.99, 0.9, 0.98));
  EXPECT_THAT(column_in<std::string>(table_in(contents, "train"), "run_id"),
              ElementsAre("alibi-0", "t5-1", "rope-0"));
}

TEST(Merged, IsNoRun) {
  const ScratchFolder folder;
  write_merged(folder.path() / "merged.h5", {table_run("alibi", 0, {{1, 0.99}})});
  EXPECT_THROW(read_runs(folder.path()), StoreError);
}

}  // namespace
}  // namespace relbias::results
