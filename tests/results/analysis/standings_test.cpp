// SPDX-License-Identifier: Apache-2.0
// tests: ranks over tasks and modalities.
#include "results/analysis/standings.h"

#include <gmock/gmock.h>

#include "tests/results/table_runs.h"

namespace relbias::results {
namespace {

using testing::ElementsAre;

RunRecord on(RunRecord run, const std::string& modality, const std::string& task) {
  run.run_id += "-" + task;
  run.modality = modality;
  run.task = task;
  return run;
}

// Two text tasks and an image task; alibi does not run on images.
std::vector<RunRecord> two_modalities() {
  std::vector<RunRecord> runs = {
      on(table_run("alibi", 0, {{1, 0.99}, {4, 0.9}}), "text", "flip-flop"),
      on(table_run("rope", 0, {{1, 0.97}, {4, 0.6}}), "text", "flip-flop"),
      on(table_run("rope base=9", 0, {{1, 0.96}, {4, 0.95}}), "text", "flip-flop"),
      on(table_run("alibi", 0, {{1, 0.6}, {4, 0.9}}), "text", "lag-copy"),
      on(table_run("rope", 0, {{1, 0.98}, {4, 0.5}}), "text", "lag-copy"),
      on(table_run("rope", 0, {{1, 0.97}}), "image", "digits"),
      on(table_run("table", 0, {{1, 0.99}}), "image", "digits"),
      on(stopped_run("shaw", 0, RunStatus::diverged, ""), "image", "digits")};
  return runs;
}

const StandingsRow& row_of(const Standings& standings, const std::string& encoding) {
  const auto row = std::ranges::find(standings.rows, encoding, &StandingsRow::encoding);
  EXPECT_NE(row, standings.rows.end()) << encoding;
  return *row;
}

TEST(Standings, RanksAreMeansOverTasksThenOverModalities) {
  const std::vector<RunRecord> runs = two_modalities();
  const Standings found = standings(group_runs(runs), StandingsBy::modality, 1);
  EXPECT_THAT(found.columns, ElementsAre("image", "text"));
  EXPECT_THAT(found.tasks, ElementsAre(1, 2));
  const StandingsRow& rope = row_of(found, "rope");  // its best form counts once
  EXPECT_EQ(rope.cells[0].rank, 2);
  EXPECT_EQ(rope.cells[1].rank, 1.5);
  EXPECT_EQ(rope.rank, 1.75);
  EXPECT_EQ(rope.cells[0].value, 0.97);
  EXPECT_TRUE(std::isnan(rope.cells[1].value));  // two tasks have no common value
  EXPECT_EQ(row_of(found, "alibi").cells[0].word, "not run");
  EXPECT_EQ(row_of(found, "alibi").columns, 1);
  EXPECT_EQ(row_of(found, "shaw").cells[0].word, "diverged");
  EXPECT_TRUE(std::isnan(row_of(found, "shaw").rank));
  EXPECT_EQ(found.rows.front().encoding, "rope");  // the only one that was ranked everywhere
}

TEST(Standings, TasksThatHaveTheSizeAreRanked) {
  const std::vector<RunRecord> runs = two_modalities();
  const Standings found = standings(group_runs(runs), StandingsBy::task, 4);
  EXPECT_THAT(found.columns, ElementsAre("flip-flop", "lag-copy"));  // no image at 4x
  EXPECT_EQ(row_of(found, "rope").cells[0].value, 0.95);  // the form that is best at this size
  EXPECT_TRUE(standings(group_runs(runs), StandingsBy::task, 64).rows.empty());
}

TEST(Standings, RelationsAreRankedEachOnItsOwn) {
  std::vector<RunRecord> runs;
  for (const char* relation : {"token", "grid"}) {
    for (const char* encoding : {"alibi", "rope"}) {
      const bool is_alibi = std::string(encoding) == "alibi";
      const bool better = is_alibi == (std::string(relation) == "grid");
      runs.push_back(table_run(encoding, 0, {{1, better ? 0.99 : 0.98}}));
      runs.back().relation = relation;
      runs.back().run_id += relation;
    }
  }
  const Standings found = standings(group_runs(runs), StandingsBy::relation, 1);
  EXPECT_THAT(found.columns, ElementsAre("grid", "token"));
  EXPECT_EQ(row_of(found, "alibi").cells[0].rank, 1);
  EXPECT_EQ(row_of(found, "alibi").cells[1].rank, 2);
}

TEST(Standings, ScoresAreSharesOfTheBestAboveChance) {
  // Chance is 0.5 (table_runs.h): 0.75 is half of what 1 is worth.
  const std::vector<RunRecord> runs = {table_run("alibi", 0, {{1, 1}}),
                                       table_run("rope", 0, {{1, 0.75}})};
  const Standings found = standings(group_runs(runs), StandingsBy::modality, 1);
  EXPECT_EQ(row_of(found, "alibi").score, 1);
  EXPECT_EQ(row_of(found, "rope").score, 0.5);
  EXPECT_TRUE(std::isnan(row_of(found, "rope").interval.low));  // one seed

  std::vector<RunRecord> errors = {table_run("alibi", 0, {{1, 2}}), table_run("rope", 0, {{1, 8}}),
                                   table_run("t5", 0, {{1, 0}})};
  for (RunRecord& run : errors) run.better = "lower";
  const Standings lower =
      standings(group_runs({errors.begin(), errors.begin() + 2}), StandingsBy::modality, 1);
  EXPECT_EQ(row_of(lower, "rope").score, 0.25);
  EXPECT_EQ(row_of(standings(group_runs(errors), StandingsBy::modality, 1), "t5").score, 1);
}

TEST(Standings, WhatDivergedForAnySeedIsNotRanked) {
  const std::vector<RunRecord> runs = {
      table_run("alibi", 0, {{1, 0.7}}), table_run("rope", 0, {{1, 0.6}}),
      table_run("t5", 0, {{1, 0.9}}), stopped_run("t5", 1, RunStatus::diverged, "step 4")};
  const Standings found = standings(group_runs(runs), StandingsBy::modality, 1);
  EXPECT_EQ(row_of(found, "alibi").cells[0].rank, 1);
  EXPECT_EQ(row_of(found, "t5").cells[0].word, "diverged");
}

TEST(Standings, ARankNeedsARival) {
  const Standings found =
      standings(group_runs({table_run("alibi", 0, {{1, 0.7}})}), StandingsBy::modality, 1);
  EXPECT_EQ(row_of(found, "alibi").cells[0].word, "no rival");
  EXPECT_TRUE(std::isnan(row_of(found, "alibi").rank));
}

TEST(Standings, ManyMayShareTheBest) {
  std::vector<RunRecord> runs = {table_run("rope", 0, {{1, 0.75}})};
  for (const char* name : {"alibi", "t5", "shaw"}) runs.push_back(table_run(name, 0, {{1, 1}}));
  const Standings found = standings(group_runs(runs), StandingsBy::modality, 1);
  EXPECT_EQ(row_of(found, "t5").cells[0].rank, 2);
  EXPECT_EQ(row_of(found, "t5").score, 1);
  EXPECT_EQ(row_of(found, "rope").score, 0.5);
}

TEST(Standings, TheSheetSaysWhatIsMissing) {
  const std::vector<RunRecord> runs = two_modalities();
  const std::string text =
      as_markdown(sheet_of(standings(group_runs(runs), StandingsBy::modality, 1)));
  EXPECT_THAT(text, testing::HasSubstr("| rope | 2 (0.970) | **1.5** | **1.75** |"));
  EXPECT_THAT(text, testing::HasSubstr("| shaw | diverged | not run | - |"));
}

}  // namespace
}  // namespace relbias::results
