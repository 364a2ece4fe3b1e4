// SPDX-License-Identifier: Apache-2.0
// tests/experiments/study: what stands beside the runs of a study, before and after they begin.
#include "experiments/study/plan.h"

#include <gmock/gmock.h>

#include "results/store/run_contents.h"
#include "results/store/store.h"
#include "results/store/study_plan.h"
#include "tests/experiments/studies.h"
#include "tests/scratch_folder.h"

namespace relbias::experiments {
namespace {

Study swept_study() { return parse_study(tiny_study("[sweep]\nseed = [0, 1, 2]\n"), "tiny.toml"); }

// A shard does some of the runs; tables must know of all.
TEST(Plan, HasRunsThatNeverBegan) {
  const ScratchFolder folder;
  const Study study = swept_study();
  keep_plan(study, {.smoke = false, .set = {}, .only = {"seed=0"}}, {}, folder.path());
  EXPECT_EQ(read_study_plan(folder.path() / "tiny").size(), 1);
  keep_plan(study, {}, {}, folder.path());
  const std::vector<StudyRun> runs = read_study_plan(folder.path() / "tiny");
  ASSERT_EQ(runs.size(), 3);
  const auto expected = expand(study, {});
  for (size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(runs[n].id, expected[n].id);
    EXPECT_EQ(runs[n].identity, expected[n].identity);
    EXPECT_EQ(runs[n].seed, static_cast<int64_t>(n));
    EXPECT_EQ(runs[n].task, "lag-copy");
    EXPECT_EQ(runs[n].positions.at(0).encoding, "t5");
    EXPECT_EQ(runs[n].settings.at("train.steps"), "20");
  }
}

TEST(Plan, FilesOfAnEarlierSchemaAreCounted) {
  const ScratchFolder folder;
  RunRecord earlier;
  earlier.run_id = "0123456789ab";
  StoredContents contents = contents_of(earlier);
  contents.attributes["schema_version"] = int64_t{1};
  write_contents(folder.path() / "0123456789ab.h5", contents);
  PlannedRun planned{.study = "tiny",
                     .run = expand(swept_study(), {}).at(0),
                     .cost = {},
                     .dataset_hash = "",
                     .dataset_report = "",
                     .file = folder.path() / "abcdef012345.h5"};
  EXPECT_EQ(earlier_files({planned}), 1);
  EXPECT_EQ(read_run(folder.path() / "0123456789ab.h5").schema_version, 1);
}

}  // namespace
}  // namespace relbias::experiments
