// SPDX-License-Identifier: Apache-2.0
// tests/results/store: the plan of a study beside its runs.
#include "results/store/study_plan.h"

#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "results/store/disk/run_file.h"
#include "tests/results/example_run.h"

namespace relbias::results {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

StudyRun planned(const std::string& id, int64_t seed) {
  return {.id = id,
          .identity = "task lag-copy, version 1\nseed = 0\n",
          .settings = {{"train.steps", "20"}},
          .positions = {{.encoding = "t5",
                         .options = {{"num_buckets", "8"}},
                         .relation = "token",
                         .relation_options = {}}},
          .task = "lag-copy",
          .dataset = "",
          .seed = seed};
}

TEST(StudyPlan, IsMergedOverCalls) {
  const ScratchFolder folder;
  const std::filesystem::path study = folder.path() / "tiny";
  EXPECT_THAT(read_study_plan(study), IsEmpty());
  add_to_study_plan(study, {planned("a", 0), planned("b", 1)});
  StudyRun trial = planned("b", 1);
  trial.role = "trial";
  trial.tuning = R"({"trials":6})";
  add_to_study_plan(study, {planned("c", 2), trial});
  const std::vector<StudyRun> runs = read_study_plan(study);
  ASSERT_EQ(runs.size(), 3);
  EXPECT_EQ(runs[0].id, "a");
  EXPECT_EQ(runs[0].identity, planned("a", 0).identity);
  EXPECT_EQ(runs[0].settings, planned("a", 0).settings);
  EXPECT_EQ(runs[0].positions, planned("a", 0).positions);
  EXPECT_EQ(runs[0].role, "run");
  EXPECT_EQ(runs[1].role, "trial");
  EXPECT_EQ(runs[1].tuning, trial.tuning);
  EXPECT_EQ(runs[2].seed, 2);
  EXPECT_FALSE(std::filesystem::exists(study / "tiny.plan.lock"));
}

TEST(StudyPlan, NothingIsLostWhereTwoAddAtOnce) {
  const ScratchFolder folder;
  const std::filesystem::path study = folder.path() / "tiny";
  std::vector<std::thread> writers;
  for (int64_t n = 0; n < 8; ++n) {
    writers.emplace_back([&, n] { add_to_study_plan(study, {planned(std::to_string(n), n)}); });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(read_study_plan(study).size(), 8);
}

TEST(StudyPlan, ADamagedOneIsNamed) {
  const ScratchFolder folder;
  const std::filesystem::path study = folder.path() / "tiny";
  add_to_study_plan(study, {planned("a", 0)});
  std::ofstream(plan_file(study)) << "{\"runs\": [{}";
  EXPECT_THAT(store_error([&] { (void)read_study_plan(study); }),
              HasSubstr("tiny.plan.json: no plan of a study: "));
}

}  // namespace
}  // namespace relbias::results
