// SPDX-License-Identifier: Apache-2.0
// tests: what each cell says, what is best and what means nothing.
#include "results/analysis/comparison.h"

#include <gmock/gmock.h>

#include "tests/results/analysis/compared.h"
#include "tests/results/sampled_runs.h"

namespace relbias::results {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> best_of(const Comparison& comparison, size_t column) {
  std::vector<std::string> labels;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.cells[column].best) labels.push_back(row.label);
  }
  return labels;
}

std::vector<std::string> headings_of(const Comparison& comparison) {
  std::vector<std::string> headings;
  for (const ComparisonColumn& column : comparison.columns) headings.push_back(column.heading);
  return headings;
}

TEST(Comparison, ColumnsBySizeNotByText) {
  RunRecord run = table_run("alibi", 0, {{16, 0.5}, {1, 1}, {2, 1}});
  run.evaluation.push_back({48, 1.5, "", "accuracy", 0.9, 0, 1, 0.5, true, ""});
  run.evaluation.push_back({100, not_given, "", "accuracy", 0.9, 0, 1, 0.5, true, ""});
  EXPECT_THAT(headings_of(comparison_of({run})), ElementsAre("1x", "1.5x", "2x", "16x", "100"));
}

TEST(Comparison, BinsFollowTheSizesAsEvaluated) {
  RunRecord run = table_run("alibi", 0, {{1, 1}});
  for (const char* bin : {"depth 8", "depth 16", "depth 4"}) {
    run.evaluation.push_back({32, not_given, bin, "accuracy", 0.9, 0, 1, 0.5, true, ""});
  }
  EXPECT_THAT(headings_of(comparison_of({run})),
              ElementsAre("1x", "depth 8", "depth 16", "depth 4"));
  run.evaluation.push_back({64, not_given, "depth 4", "accuracy", 0.9, 0, 1, 0.5, true, ""});
  EXPECT_THAT(headings_of(comparison_of({run})),
              ElementsAre("1x", "depth 8", "depth 16", "32 depth 4", "64 depth 4"));
}

TEST(Comparison, PartsOfASizeAreShownWhereThereIsNothingElse) {
  RunRecord run = table_run("alibi", 0, {});
  for (const double factor : {1, 2}) {
    for (const char* part : {"position 1-16", "position 17-32"}) {
      const auto size = static_cast<int64_t>(32 * factor);
      run.evaluation.push_back({size, factor, part, "accuracy", 0.9, 0, 1, 0.5, true, ""});
    }
  }
  std::vector<RunRecord> runs = {run};
  const std::vector<Comparison> by_size = compare(group_runs(runs)[0], "accuracy", "higher");
  ASSERT_EQ(by_size.size(), 2);
  EXPECT_EQ(by_size[1].title, "text-gates: flip-flop (text), at 2x");
  EXPECT_THAT(headings_of(by_size[1]), ElementsAre("position 1-16", "position 17-32"));

  runs[0].evaluation.push_back({32, 1, "", "accuracy", 0.9, 0, 1, 0.5, true, ""});
  const std::vector<Comparison> plain = compare(group_runs(runs)[0], "accuracy", "higher");
  ASSERT_EQ(plain.size(), 1);
  EXPECT_THAT(headings_of(plain[0]), ElementsAre("1x"));
}

// NaN is neither less nor more than a number: as a key it would equal whichever stands there.
TEST(Comparison, PartsOfASizeWithoutAFactorStandByTheirSize) {
  RunRecord run = table_run("alibi", 0, {});
  const std::string part = "position 1-16";
  run.evaluation = {{32, 1, part, "accuracy", 0.9, 0, 1, 0.5, true, ""},
                    {64, not_given, part, "accuracy", 0.8, 0, 1, 0.5, true, ""},
                    {96, not_given, part, "accuracy", 0.7, 0, 1, 0.5, true, ""}};
  const std::vector<RunRecord> runs = {run};
  const std::vector<TaskRuns> groups = group_runs(runs);
  const std::vector<Comparison> found = compare(groups[0], "accuracy", "higher");
  ASSERT_EQ(found.size(), 3);
  const std::vector<std::string> titles = {"at 1x", "at 64", "at 96"};
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].condition, titles[i]);
    EXPECT_THAT(headings_of(found[i]), ElementsAre(part));
    EXPECT_EQ(found[i].rows[0].cells[0].summary.mean, run.evaluation[i].value);
  }
}

TEST(Comparison, MeanAndDeviationOverSeeds) {
  const Comparison comparison = comparison_of(runs_of_every_state());
  const ComparisonRow& row = row_of(comparison, "alibi");
  EXPECT_EQ(row.runs, 3);
  EXPECT_EQ(row.done, 3);
  EXPECT_EQ(row.cells[3].summary.count, 3);
  EXPECT_NEAR(row.cells[3].summary.mean, 0.95, 1e-12);
  EXPECT_NEAR(row.cells[3].summary.deviation, 0.01, 1e-12);
}

TEST(Comparison, EveryStateIsAWordAndExplained) {
  const Comparison comparison = comparison_of(runs_of_every_state());
  const auto state = [&](const char* label, size_t column) {
    return row_of(comparison, label).cells[column].state;
  };
  EXPECT_EQ(state("learned", 0), CellState::value);
  EXPECT_EQ(state("learned", 1), CellState::undefined);
  EXPECT_EQ(state("learned", 3), CellState::missing);
  EXPECT_EQ(state("rope layout=half", 2), CellState::not_finite);
  EXPECT_EQ(state("shaw", 1), CellState::diverged);
  EXPECT_EQ(state("fire", 1), CellState::failed);
  EXPECT_EQ(state("cope", 1), CellState::running);
  EXPECT_EQ(state("xpos", 1), CellState::value);  // one of its two runs failed

  const auto note = [&](const char* label) {
    return note_of(comparison, row_of(comparison, label).runs_mark);
  };
  EXPECT_EQ(note("shaw"), "diverged in 1 of 3: seed 0 diverged (loss not finite at step 40)");
  EXPECT_EQ(note("xpos"), "failed in 1 of 3: seed 1 failed (out of memory)");
  EXPECT_EQ(note("cope"), "seed 0 running, or could not be written");
  EXPECT_EQ(note_of(comparison, row_of(comparison, "learned").cells[2].mark),
            "undefined: no rows past its table");
  EXPECT_EQ(row_of(comparison, "learned").cells[1].mark,
            row_of(comparison, "learned").cells[2].mark);
}

TEST(Comparison, PartlyBrokenCellsSaySo) {
  RunRecord undefined = table_run("alibi", 1, {{1, 0.97}});
  undefined.evaluation.push_back({64, 2, "", "accuracy", 0, 0, 0, 0.5, false, "too long"});
  const Comparison comparison = comparison_of({table_run("alibi", 0, {{1, 0.99}, {2, 0.9}}),
                                               undefined, table_run("t5", 0, {{1, 0.99}, {2, 0.9}}),
                                               table_run("t5", 1, {{1, 0.99}, {2, not_given}})});
  const Cell& alibi = row_of(comparison, "alibi").cells[1];
  EXPECT_EQ(alibi.state, CellState::value);
  EXPECT_EQ(alibi.summary.count, 1);
  EXPECT_EQ(note_of(comparison, alibi.mark), "undefined in 1 of 2 runs: too long");
  const Cell& t5 = row_of(comparison, "t5").cells[1];
  EXPECT_EQ(t5.state, CellState::not_finite);
  EXPECT_EQ(note_of(comparison, t5.mark), "not a finite number in 1 of 2 runs");
}

TEST(Comparison, UnfinishedRunsDoNotCount) {
  RunRecord running = table_run("alibi", 1, {{1, 0.1}});
  running.status = RunStatus::running;
  const Comparison comparison = comparison_of({table_run("alibi", 0, {{1, 0.99}}), running});
  EXPECT_EQ(row_of(comparison, "alibi").cells[0].summary.mean, 0.99);
  EXPECT_EQ(row_of(comparison, "alibi").done, 1);
}

TEST(Comparison, WhatDidNotSolveTheTrainingSizeSaysSo) {
  const Comparison comparison = comparison_of(runs_of_every_state());
  EXPECT_EQ(row_of(comparison, "none").label_mark, "†");
  EXPECT_EQ(row_of(comparison, "alibi").label_mark, "");
  EXPECT_EQ(row_of(comparison, "fire").label_mark, "");  // did not finish: nothing to judge
  EXPECT_EQ(note_of(comparison, "†"),
            "not solved at the training size, which is accuracy >= 0.95: none 0.5");
}

TEST(Comparison, TheThresholdIsTheCeilingAndFollowsTheDirection) {
  const auto mark = [](double value, double ceiling, const char* better) {
    RunRecord run = table_run("alibi", 0, {{1, value}});
    run.ceiling = ceiling;
    run.better = better;
    return comparison_of({run}).rows[0].label_mark;
  };
  EXPECT_EQ(mark(0.86, 0.9, "higher"), "");
  EXPECT_EQ(mark(0.85, 0.9, "higher"), "†");
  EXPECT_EQ(mark(1.04, 1, "lower"), "");
  EXPECT_EQ(mark(1.06, 1, "lower"), "†");
  EXPECT_EQ(mark(9, not_given, "lower"), "");
  EXPECT_EQ(mark(not_given, 1, "higher"), "‡");

  RunRecord binned = table_run("alibi", 0, {{1, 0.97}});
  binned.evaluation[0].factor = not_given;
  binned.evaluation[0].condition = "<=32";
  EXPECT_EQ(comparison_of({binned}).rows[0].label_mark, "");
  binned.evaluation[0].value = 0.5;
  EXPECT_EQ(comparison_of({binned}).rows[0].label_mark, "†");

  const Comparison unknown = comparison_of({table_run("alibi", 0, {{2, 1}})});
  EXPECT_EQ(unknown.rows[0].label_mark, "‡");
  EXPECT_THAT(note_of(unknown, "‡"), HasSubstr("no number measured at the training size"));
}

TEST(Comparison, BestNeedsRivalsAndADirection) {
  std::vector<RunRecord> runs = three_runs("alibi", {{1, 0.99}, {2, 0.5}});
  for (RunRecord& run : three_runs("t5", {{1, 0.9}, {2, 0.75}})) runs.push_back(run);
  const std::vector<TaskRuns> groups = group_runs(runs);
  EXPECT_THAT(best_of(compare(groups[0], "accuracy", "higher")[0], 0), ElementsAre("alibi"));
  EXPECT_THAT(best_of(compare(groups[0], "accuracy", "higher")[0], 1), ElementsAre("t5"));
  EXPECT_THAT(best_of(compare(groups[0], "accuracy", "")[0], 1), IsEmpty());
  EXPECT_THAT(best_of(comparison_of(three_runs("t5", {{1, 0.9}})), 0), IsEmpty());
}

TEST(Comparison, SpeedIsRelativeToNoneOfTheSameSettings) {
  const Comparison all = comparison_of(runs_of_every_state());
  EXPECT_EQ(row_of(all, "alibi").speed, 0.75);
  EXPECT_EQ(row_of(all, "none").speed, 1);
  EXPECT_TRUE(std::isnan(row_of(all, "shaw").speed));
  EXPECT_TRUE(std::isnan(comparison_of({table_run("alibi", 0, {{1, 1}})}).rows[0].speed));

  std::vector<RunRecord> runs;
  for (const int64_t layers : {4, 8}) {
    for (const char* encoding : {"none", "alibi"}) {
      RunRecord& run = runs.emplace_back(table_run(encoding, 0, {{1, 1}}));
      run.run_id += std::to_string(layers);
      run.settings["model.depth"] = std::to_string(layers);
      run.train[0].tokens_per_second /= static_cast<double>(layers);
    }
  }
  for (const TaskRuns& group : group_runs(runs)) {
    const Comparison comparison = compare(group, "accuracy", "higher")[0];
    for (const ComparisonRow& row : comparison.rows) {
      EXPECT_EQ(row.speed, row.label == "none" ? 1 : 0.75) << row.label;
    }
  }
}

TEST(Comparison, EachConditionOfWholeSizesIsATableOfItsOwn) {
  RunRecord run = table_run("alibi", 0, {{1, 0.99}, {2, 0.9}});
  for (const int64_t factor : {1, 2}) {
    run.evaluation.push_back({32 * factor, static_cast<double>(factor), "segments=4", "accuracy",
                              0.5, 0, 1, 0.5, true, ""});
  }
  const std::vector<RunRecord> runs = {run};
  const std::vector<TaskRuns> groups = group_runs(runs);
  const std::vector<Comparison> found = compare(groups[0], "accuracy", "higher");
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].condition, "");
  EXPECT_EQ(found[1].condition, "segments=4");
  EXPECT_EQ(found[1].title, "text-gates: flip-flop (text), segments=4");
  EXPECT_EQ(found[1].columns[1].heading, "2x");
  EXPECT_EQ(found[1].rows[0].cells[1].summary.mean, 0.5);
}

TEST(Comparison, BinsOfAVariantAreATableOfItsOwn) {
  RunRecord run = table_run("alibi", 0, {});
  for (const char* bin : {"<=32", "segments=4, <=32", "33-64", "segments=4, 33-64"}) {
    const int64_t size = std::string(bin).ends_with("64") ? 64 : 32;
    run.evaluation.push_back({size, not_given, bin, "accuracy", 0.5, 0, 1, 0.5, true, ""});
  }
  const std::vector<RunRecord> runs = {run};
  const std::vector<TaskRuns> groups = group_runs(runs);
  const std::vector<Comparison> found = compare(groups[0], "accuracy", "higher");
  ASSERT_EQ(found.size(), 2);
  EXPECT_THAT(headings_of(found[0]), ElementsAre("<=32", "33-64"));
  EXPECT_EQ(found[1].condition, "segments=4");
  EXPECT_THAT(headings_of(found[1]), ElementsAre("<=32", "33-64"));
}

TEST(Comparison, ReachIsTheLastSizeThatKeepsNineTenths) {
  const auto reach = [](const std::map<int64_t, double>& values, const char* better) {
    RunRecord run = table_run("alibi", 0, values);
    run.better = better;
    run.ceiling = not_given;
    return comparison_of({run}).rows[0].reach;
  };
  EXPECT_EQ(reach({{1, 1}, {2, 0.95}, {4, 0.89}, {8, 0.95}}, "higher").factor, 2);  // no gap
  EXPECT_FALSE(reach({{1, 1}, {2, 0.95}, {4, 0.89}}, "higher").at_least);
  EXPECT_EQ(reach({{1, 1}, {2, 0.95}, {4, 0.9}}, "higher").factor, 4);
  EXPECT_TRUE(reach({{1, 1}, {2, 0.95}, {4, 0.9}}, "higher").at_least);
  EXPECT_EQ(reach({{1, 9}, {2, 9.9}, {4, 10.1}}, "lower").factor, 2);  // 10 is allowed
  EXPECT_EQ(reach({{1, 1}, {2, not_given}}, "higher").factor, 1);
  EXPECT_TRUE(std::isnan(reach({{2, 1}}, "higher").factor));
  EXPECT_TRUE(std::isnan(reach({{1, 1}, {2, 1}}, "").factor));
  const RunRecord guessing = sampled_run("none", 0, {{1, 0.5}, {2, 0.5}});
  EXPECT_TRUE(std::isnan(comparison_of({guessing}).rows[0].reach.factor));
}

}  // namespace
}  // namespace relbias::results
