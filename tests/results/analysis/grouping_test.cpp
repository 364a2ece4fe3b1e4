// SPDX-License-Identifier: Apache-2.0
// tests: which runs stand in one table, and which share a row.
#include "results/analysis/grouping.h"

#include <gmock/gmock.h>

#include "tests/results/analysis/compared.h"
#include "tests/results/sampled_runs.h"

namespace relbias::results {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> labels_of(const std::vector<RunRecord>& runs) {
  std::vector<std::string> labels;
  for (const TaskRuns& group : group_runs(runs)) {
    for (const Repetitions& row : group.rows) labels.push_back(row.label);
  }
  return labels;
}

TEST(Grouping, NoneFirstThenByLabel) {
  EXPECT_THAT(labels_of({table_run("t5", 0, {}), table_run("none", 0, {}),
                         table_run("alibi", 0, {}), table_run("alibi", 1, {})}),
              ElementsAre("none", "alibi", "t5"));
}

TEST(Grouping, TablesByStudyTaskAndDataset) {
  std::vector<RunRecord> runs(4, table_run("alibi", 0, {}));
  runs[1].study = "another";
  runs[2].task = "lag-copy";
  runs[3].dataset = "shakespeare";
  EXPECT_EQ(group_runs(runs).size(), 4);
}

TEST(Grouping, RelationsOfOneTaskShareATable) {
  std::vector<RunRecord> runs(4, table_run("table", 0, {}));
  for (size_t i = 0; i < runs.size(); ++i) runs[i].run_id = std::to_string(i);
  runs[1].relation = "tree";
  runs[2].encoding = "t5@token + table@tree";
  runs[2].relation = "token + tree";
  runs[3].encoding = "none";
  EXPECT_THAT(labels_of(runs),
              ElementsAre("none@token", "t5@token + table@tree", "table@token", "table@tree"));
}

// Differently trained runs are no rivals: a table each, and every differing key in the title.
TEST(Grouping, OtherSettingsAreOtherTables) {
  std::vector<RunRecord> runs;
  for (const int64_t seed : {0, 1}) {
    runs.push_back(table_run("rope", seed, {{1, 0.99}}));
    runs.back().settings = {{"train.steps", "120"}, {"train.learning_rate", "0.001"}};
    runs.push_back(table_run("alibi", seed, {{1, 0.9}}));
    runs.back().settings = {{"train.steps", "30"}, {"train.learning_rate", "0.003"}};
  }
  const std::vector<TaskRuns> groups = group_runs(runs);
  ASSERT_EQ(groups.size(), 2);
  EXPECT_EQ(groups[0].rows[0].runs.size(), 2);
  const std::string title = compare(groups[0], "accuracy", "higher")[0].title;
  EXPECT_THAT(title, HasSubstr(", train.learning_rate=0.001, train.steps=120"));
}

TEST(Grouping, OtherDataAreAnotherTable) {
  std::vector<RunRecord> runs;
  for (int64_t seed = 0; seed < 3; ++seed) {
    runs.push_back(table_run("rope", seed, {{1, 0.99}}));
    runs.back().dataset_hash = seed < 2 ? "aaaa" : "bbbb";
  }
  const std::vector<TaskRuns> groups = group_runs(runs);
  ASSERT_EQ(groups.size(), 2);
  EXPECT_EQ(groups[0].rows[0].runs.size(), 2);
  EXPECT_EQ(groups[1].apart.at(0).second, "bbbb");
}

TEST(Grouping, LengthScaleIsARivalInTheSameTable) {
  std::vector<RunRecord> runs;
  for (const char* scale : {"none", "log"}) {
    for (const char* encoding : {"alibi", "t5"}) {
      runs.push_back(table_run(encoding, 0, {{1, 0.99}}));
      runs.back().run_id += scale;
      runs.back().settings = {{"model.length_scale", scale}, {"train.steps", "30"}};
    }
  }
  EXPECT_THAT(labels_of(runs),
              ElementsAre("alibi, model.length_scale=log", "alibi, model.length_scale=none",
                          "t5, model.length_scale=log", "t5, model.length_scale=none"));
  const std::vector<TaskRuns> groups = group_runs(runs);
  ASSERT_EQ(groups.size(), 1);
  EXPECT_TRUE(same_settings(groups[0].rows[0], groups[0].rows[2]));
  EXPECT_FALSE(same_settings(groups[0].rows[0], groups[0].rows[3]));
}

// Each encoding has its own rate; one that has fewer keys to choose stands in the same table.
TEST(Grouping, WhatWasTunedTellsNothingApart) {
  std::vector<RunRecord> runs;
  for (const char* encoding : {"none", "t5"}) {
    runs.push_back(table_run(encoding, 0, {{1, 0.99}}));
    const bool is_none = std::string(encoding) == "none";
    runs.back().settings = {{"train.learning_rate", is_none ? "0.001" : "0.003"},
                            {"train.encoding_rate", is_none ? "1" : "30"}};
    runs.back().tuning = is_none ? R"({"trials":2,"of":6,"chosen":{"train.learning_rate":"0.001"}})"
                                 : R"({"trials":6,"of":6,"chosen":{"train.learning_rate":"0.003",)"
                                   R"("train.encoding_rate":"30"}})";
  }
  EXPECT_THAT(labels_of(runs), ElementsAre("none", "t5"));
  EXPECT_EQ(group_runs(runs).size(), 1);
  EXPECT_EQ(comparison_of(runs).rows[1].chosen, "encoding_rate=30, learning_rate=0.003");
  runs[0].tuning.clear();
  EXPECT_EQ(group_runs(runs).size(), 2);  // not the same chance
  runs[1].role = "trial";
  EXPECT_EQ(group_runs(runs).size(), 1);
}

TEST(Grouping, RunsThatNeverBeganCountAsPlanned) {
  std::vector<RunRecord> runs = {table_run("alibi", 0, {{1, 0.99}}),
                                 table_run("alibi", 1, {{1, 0.99}}), table_run("alibi", 2, {})};
  runs[2].status = RunStatus::running;
  runs[2].message = not_begun;
  const Comparison comparison = comparison_of(runs);
  const ComparisonRow& row = row_of(comparison, "alibi");
  EXPECT_EQ(row.planned, 3);
  EXPECT_EQ(row.runs, 2);
  EXPECT_EQ(row.done, 2);
  EXPECT_EQ(note_of(comparison, row.runs_mark), "seed 2 not begun");
}

TEST(Grouping, CopiesOfARunCountOnce) {
  RunRecord old = table_run("alibi", 0, {{1, 0.5}});
  RunRecord rerun = table_run("alibi", 0, {{1, 0.75}});
  old.started = "2025-01-01T00:00:00Z";
  rerun.started = "2025-01-02T00:00:00Z";
  const Comparison comparison = comparison_of({old, rerun, old});
  const Cell& cell = row_of(comparison, "alibi").cells[0];
  EXPECT_EQ(cell.summary.count, 1);
  EXPECT_EQ(cell.summary.mean, 0.75);
  EXPECT_THAT(comparison.notes.back().text, "2 further files of the same runs were not counted");
}

// A run that is continued keeps the time of its start, and folders are read in any order.
TEST(Grouping, OfCopiesThatStartedTogetherTheFurthestCounts) {
  using Runs = std::vector<RunRecord>;
  const RunRecord done = table_run("alibi", 0, {{1, 0.75}});
  RunRecord running = done;
  running.status = RunStatus::running;
  running.evaluation[0].value = 0.5;
  for (const Runs& runs : {Runs{done, running}, Runs{running, done}}) {
    const Comparison comparison = comparison_of(runs);
    EXPECT_EQ(row_of(comparison, "alibi").done, 1);
    EXPECT_EQ(row_of(comparison, "alibi").cells[0].summary.mean, 0.75);
  }
  RunRecord further = running;
  further.train.push_back({20, 1, 0.001, 1, 1500, 0, 2});
  for (const Runs& runs : {Runs{running, further}, Runs{further, running}}) {
    EXPECT_EQ(group_runs(runs)[0].example().train.back().step, 20);
  }
}

}  // namespace
}  // namespace relbias::results
