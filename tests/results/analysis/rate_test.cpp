// SPDX-License-Identifier: Apache-2.0
// tests: runs without a rate of encodings stand beside those of every rate.
#include <gmock/gmock.h>

#include "results/analysis/comparison.h"
#include "tests/results/sampled_runs.h"

namespace relbias::results {
namespace {

using testing::ElementsAre;

RunRecord run_at(const std::string& encoding, const std::string& rate) {
  RunRecord run = table_run(encoding, 0, {{1, 0.9}});
  run.run_id += rate;
  run.settings = {{"train.steps", "30"}};
  if (!rate.empty()) run.settings["train.encoding_rate"] = rate;
  return run;
}

std::vector<std::vector<std::string>> tables_of(const std::vector<RunRecord>& runs) {
  std::vector<std::vector<std::string>> tables;
  for (const TaskRuns& group : group_runs(runs)) {
    std::vector<std::string>& labels = tables.emplace_back();
    for (const Repetitions& row : group.rows) labels.push_back(row.label);
  }
  return tables;
}

TEST(Rate, WhatHasNoneIsARivalAtEveryRate) {
  EXPECT_THAT(tables_of({run_at("alibi", ""), run_at("t5", "1")}),
              ElementsAre(ElementsAre("alibi", "t5")));
  EXPECT_THAT(
      tables_of({run_at("alibi", ""), run_at("none", ""), run_at("t5", "1"), run_at("t5", "10")}),
      ElementsAre(ElementsAre("none", "alibi", "t5"), ElementsAre("none", "alibi", "t5")));
  EXPECT_THAT(tables_of({run_at("alibi", ""), run_at("none", "")}),
              ElementsAre(ElementsAre("none", "alibi")));
  std::vector<RunRecord> runs = {run_at("alibi", ""), run_at("t5", "1")};
  runs[0].settings["train.steps"] = "60";
  EXPECT_EQ(tables_of(runs).size(), 2U);
}

}  // namespace
}  // namespace relbias::results
