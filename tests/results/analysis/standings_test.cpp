// SPDX-License-Identifier: Apache-2.0
// tests: ranks, scores and probabilities of improvement over tasks and modalities.
#include "results/analysis/across/standings.h"

#include <gmock/gmock.h>

#include "tests/results/sampled_runs.h"

namespace relbias::results {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Runs = std::vector<RunRecord>;
using Values = std::map<int64_t, double>;  // by factor

Runs joined(const std::vector<Runs>& parts) {
  Runs all;
  for (const Runs& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// Three seeds with samples; chance is .5, the ceiling 1.
Runs on(const std::string& modality, const std::string& task, const std::string& encoding,
        const Values& values) {
  Runs runs = three_runs(encoding, values);
  for (RunRecord& run : runs) {
    run.run_id += "-" + task;
    run.modality = modality;
    run.task = task;
  }
  return runs;
}

const StandingsRow& row_of(const Standings& standings, const std::string& encoding) {
  const auto row = std::ranges::find(standings.rows, encoding, &StandingsRow::encoding);
  if (row == standings.rows.end()) throw std::runtime_error("no row " + encoding);
  return *row;
}

// alibi does not run on images.
Runs two_modalities() {
  return joined(
      {on("text", "words", "alibi", {{1, 0.99}}), on("text", "words", "rope", {{1, 0.9}}),
       on("text", "letters", "alibi", {{1, 0.7}}), on("text", "letters", "rope", {{1, 0.95}}),
       on("image", "digits", "rope", {{1, 0.9}}), on("image", "digits", "table", {{1, 0.99}})});
}

TEST(Standings, AnotherSetOfTasksIsAnotherTable) {
  const Runs runs = two_modalities();
  const auto tables = standings(group_runs(runs), StandingsBy::modality, 1);
  ASSERT_EQ(tables.size(), 2);
  EXPECT_THAT(tables[0].columns, ElementsAre("text"));  // two tasks, alibi and rope
  EXPECT_THAT(tables[0].tasks, ElementsAre(2));
  EXPECT_EQ(row_of(tables[0], "alibi").cells[0].rank, 1.5);
  EXPECT_THAT(tables[1].columns, ElementsAre("image"));
  EXPECT_EQ(row_of(tables[1], "rope").cells[0].rank, 2);
  EXPECT_EQ(row_of(tables[1], "rope").cells[0].value, row_of(tables[1], "rope").cells[0].value);
}

TEST(Standings, FormsOfOneEncodingAreRivals) {
  const Runs runs =
      joined({three_runs("t5", {{1, 0.9}}), three_runs("t5 num_buckets=8", {{1, 0.8}}),
              three_runs("rope", {{1, 0.7}})});
  const auto found = standings(group_runs(runs), StandingsBy::task, 1).at(0);
  EXPECT_EQ(row_of(found, "t5").rank, 1);
  EXPECT_EQ(row_of(found, "t5 num_buckets=8").rank, 2);
  EXPECT_EQ(row_of(found, "rope").rank, 3);
}

// Once rank 1 went to the model that is worse than guessing, as it had solved the training size.
TEST(Standings, WhatGuessesSharesTheLastRanksBeforeWhatDiverged) {
  Runs runs = joined({three_runs("t5", {{1, 0.944}, {2, 0.888}, {4, 0.796}}),
                      three_runs("rope", {{1, 0.960}, {2, 0.804}, {4, 0.416}}),
                      three_runs("fire", {{1, 0.960}, {4, 0.45}}),
                      three_runs("shaw", {{1, 0.99}, {4, 0.99}})});
  runs.back() = stopped_run("shaw", 2, RunStatus::diverged, "at step 3");
  const auto found = standings(group_runs(runs), StandingsBy::modality, 4).at(0);
  EXPECT_EQ(row_of(found, "t5").rank, 1);
  EXPECT_EQ(row_of(found, "rope").rank, 2.5);
  EXPECT_EQ(row_of(found, "fire").rank, 2.5);
  EXPECT_EQ(row_of(found, "rope").cells[0].word, "not above guessing");
  EXPECT_EQ(row_of(found, "shaw").rank, 4);
  EXPECT_EQ(row_of(found, "shaw").cells[0].word, "diverged");
  EXPECT_THAT(found.best, ElementsAre("t5"));
}

TEST(Standings, OneSeedHasNoRank) {
  const Runs runs = joined({three_runs("t5", {{1, 0.9}}), three_runs("rope", {{1, 0.8}}),
                            Runs{sampled_run("alibi", 0, {{1, 0.99}})}});
  const auto found = standings(group_runs(runs), StandingsBy::modality, 1);
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].rows.size(), 2);
  const Runs alone = {sampled_run("alibi", 0, {{1, 0.99}}), sampled_run("t5", 0, {{1, 0.9}})};
  const auto words = standings(group_runs(alone), StandingsBy::modality, 1).at(0);
  EXPECT_EQ(row_of(words, "t5").cells[0].word, "one seed");
  EXPECT_TRUE(std::isnan(row_of(words, "t5").rank));
}

TEST(Standings, GatesAreNeverRanked) {
  Runs runs = joined({three_runs("t5", {{1, 0.9}}), three_runs("rope", {{1, 0.8}})});
  for (RunRecord& run : runs) run.task_kind = "gate";
  EXPECT_TRUE(standings(group_runs(runs), StandingsBy::modality, 1).empty());
  const std::string text = as_markdown(gates_sheet(group_runs(runs), 1));
  EXPECT_THAT(text, HasSubstr("**Gates at 1x the training size**"));
  EXPECT_THAT(text, HasSubstr("no part of ranks, scores or advice"));
  EXPECT_TRUE(gates_sheet(group_runs(runs), 64).rows.empty());
}

TEST(Standings, RelationsAreRankedEachOnItsOwn) {
  Runs runs;
  for (const char* relation : {"token", "grid"}) {
    for (const char* encoding : {"alibi", "rope"}) {
      const bool is_alibi = std::string(encoding) == "alibi";
      const bool better = is_alibi == (std::string(relation) == "grid");
      for (RunRecord& run : three_runs(encoding, {{1, better ? 0.95 : 0.8}})) {
        run.relation = relation;
        run.run_id += relation;
        runs.push_back(run);
      }
    }
  }
  const auto found = standings(group_runs(runs), StandingsBy::relation, 1).at(0);
  EXPECT_THAT(found.columns, ElementsAre("grid", "token"));
  EXPECT_EQ(row_of(found, "alibi").cells[0].rank, 1);
  EXPECT_EQ(row_of(found, "alibi").cells[1].rank, 2);
}

// (value - guess) / (ceiling - guess) depends on no rival: .75 is half of the way from .5 to 1.
TEST(Standings, ScoresGoFromGuessingToTheCeiling) {
  const Runs runs = joined({three_runs("t5", {{1, 0.9}}), three_runs("rope", {{1, 0.75}})});
  const auto found = standings(group_runs(runs), StandingsBy::modality, 1).at(0);
  const double expected =
      2 *
      (compare(group_runs(runs)[0], "accuracy", "higher")[0].rows[0].cells[0].summary.mean - 0.5);
  const MeanScore& rope = row_of(found, "rope").score;
  EXPECT_NEAR(rope.mean, expected, 1e-12);
  EXPECT_TRUE(rope.interval.contains(rope.mean));
  EXPECT_LT(rope.interval.high - rope.interval.low, 0.3);
}

TEST(Score, MeanOverTasksAddsVariances) {
  const std::vector<Score> scores = {{0.5, 0.01, 10}, {0.7, 0.03, 5}};
  const MeanScore found = mean_of(scores);
  EXPECT_DOUBLE_EQ(found.mean, 0.6);
  // variance .04 / 4; df = .01^2 / (.0025^2 / 10 + .0075^2 / 5); t(.975, 8.4) = 2.2872.
  EXPECT_NEAR(found.interval.high - 0.6, 0.22872, 1e-3);
}

TEST(Score, ImprovementIsTheShareOfSeedPairsWon) {
  const Contest halves{.first = {1, 3}, .second = {2, 3}};  // wins 1 of 4 and ties 1
  EXPECT_DOUBLE_EQ(improvement({halves}).probability, 0.375);
  EXPECT_TRUE(std::isnan(improvement({halves}).interval.low));
  Contest errors = halves;
  errors.direction = -1;
  EXPECT_DOUBLE_EQ(improvement({halves, errors}).probability, 0.5);
  Contest guessing = halves;
  guessing.second_standing = 1;
  EXPECT_EQ(improvement({guessing}).probability, 1);
  const Contest five{.first = {1, 2, 3, 4, 5}, .second = {1, 2, 3, 4, 6}};
  const Improvement found = improvement({five});
  EXPECT_TRUE(found.interval.contains(found.probability));
  EXPECT_GT(found.interval.high, found.interval.low);
}

}  // namespace
}  // namespace relbias::results
