// SPDX-License-Identifier: Apache-2.0
// tests: what guesses and what is starred; the numbers were once seen to be concluded from wrongly.
#include "results/analysis/stars.h"

#include <gmock/gmock.h>

#include "results/print/sheet.h"
#include "tests/results/sampled_runs.h"

namespace relbias::results {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Runs = std::vector<RunRecord>;

Runs joined(const std::vector<Runs>& parts) {
  Runs all;
  for (const Runs& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// A comparison points into its groups, which point into the runs: all three are kept.
struct Compared {
  explicit Compared(Runs all)
      : runs(std::move(all)),
        groups(group_runs(runs)),
        comparison(compare(groups.at(0), "accuracy", groups[0].example().better).at(0)) {}

  const ComparisonRow& row(const std::string& label) const {
    const auto found = std::ranges::find(comparison.rows, label, &ComparisonRow::label);
    if (found == comparison.rows.end()) throw std::runtime_error("no row " + label);
    return *found;
  }
  std::vector<std::string> starred(size_t column) const {
    std::vector<std::string> labels;
    for (const ComparisonRow& one : comparison.rows) {
      if (one.cells[column].best) labels.push_back(one.label);
    }
    return labels;
  }
  std::string notes() const {
    std::string text;
    for (const Note& note : comparison.notes) text += note.mark + " " + note.text + "\n";
    return text;
  }

  Runs runs;
  std::vector<TaskRuns> groups;
  Comparison comparison;
};

// rope solved the training size and t5 did not: that once gave the star at 4x to a model that is
// worse than guessing.
TEST(Stars, AreNotForWhatGuesses) {
  const Compared found(joined({three_runs("t5", {{1, 0.944}, {2, 0.888}, {4, 0.796}}),
                               three_runs("rope", {{1, 0.960}, {2, 0.804}, {4, 0.416}})}));
  EXPECT_THAT(found.starred(2), ElementsAre("t5"));
  EXPECT_TRUE(found.row("rope").cells[2].guessing);
  EXPECT_FALSE(found.row("t5").cells[2].guessing);
  EXPECT_EQ(found.row("t5").label_mark, "†");
  EXPECT_THAT(found.notes(), HasSubstr("not above guessing"));
  EXPECT_THAT(found.notes(),
              HasSubstr("not solved at the training size, which is accuracy >= 0.95: t5 0.94"));
}

// A value of .023 where the trivial rule reaches .086 was once the best, with a score of 1.
TEST(Stars, AloneBelowTheTrivialRuleIsNoBest) {
  Runs runs = joined({three_runs("t5", {{1, 0.023}}), three_runs("rope", {{1, 0.02}})});
  for (RunRecord& run : runs) {
    run.evaluation[0].chance = 0.001;  // what guessing blindly gives is not what counts
    std::vector<double> sums(kept_samples, 0.086), counts(kept_samples, 1);
    run.samples[0].scores[0].guesses = {sums, counts};
  }
  const Compared found(runs);
  EXPECT_THAT(found.starred(0), IsEmpty());
  EXPECT_TRUE(found.row("t5").cells[0].guessing);
  EXPECT_NEAR(found.comparison.guessing[0], 0.086, 1e-12);
}

TEST(Stars, LowerIsAboveGuessingWhereItIsBetter) {
  Runs runs = joined({three_runs("t5", {{1, 2.5}}), three_runs("rope", {{1, 3.6}})});
  for (RunRecord& run : runs) {
    run.better = "lower";
    run.ceiling = not_given;
    run.evaluation[0].chance = 3.5;
  }
  const Compared found(runs);
  EXPECT_THAT(found.starred(0), ElementsAre("t5"));
  EXPECT_TRUE(found.row("rope").cells[0].guessing);
}

TEST(Stars, NeedTestSamples) {
  Runs runs = joined({three_runs("t5", {{1, 0.97}}), three_runs("rope", {{1, 0.7}})});
  for (RunRecord& run : runs) run.samples.clear();
  const Compared found(runs);
  EXPECT_THAT(found.starred(0), IsEmpty());
  EXPECT_THAT(found.notes(), HasSubstr("tabulated without verdicts"));
}

TEST(Stars, AreNoneWhereNothingIsToldFromTheBest) {
  const Compared found(joined(
      {three_runs("t5", {{1, 0.9701}, {2, 0.9}}), three_runs("rope", {{1, 0.97}, {2, 0.7}})}));
  EXPECT_THAT(found.starred(0), IsEmpty());
  EXPECT_THAT(found.starred(1), ElementsAre("t5"));
  EXPECT_THAT(found.notes(), HasSubstr("no star: no row is told from the best at 1x"));
  EXPECT_THAT(found.notes(), HasSubstr("told would have been a difference of"));
  EXPECT_THAT(found.notes(), HasSubstr("of two rows, with nothing to pool"));
}

TEST(Stars, AreSharedByWhatIsNotTold) {
  const Compared found(joined({three_runs("t5", {{1, 0.9701}}), three_runs("rope", {{1, 0.97}}),
                               three_runs("alibi", {{1, 0.7}})}));
  EXPECT_THAT(found.starred(0), ElementsAre("rope", "t5"));
}

// t5 with its one seed once had the star, though alibi is ahead of it on that very seed.
TEST(Stars, OnlyCommonSeedsCompare) {
  Runs runs = joined({three_runs("alibi", {{1, 0.95}}), three_runs("rope", {{1, 0.6}})});
  runs[0] = sampled_run("alibi", 0, {{1, 0.99}});
  runs.push_back(sampled_run("t5", 0, {{1, 0.97}}));
  const Compared found(runs);
  EXPECT_THAT(found.starred(0), ElementsAre("alibi"));
  const ComparisonRow& t5 = found.row("t5");
  EXPECT_EQ(t5.planned, 3);
  EXPECT_EQ(t5.runs, 1);
  EXPECT_THAT(as_text(sheet_of(found.comparison)), HasSubstr("1 of 3 seeds"));
  const Inference behind = better_by(found.comparison, 0, t5, found.row("alibi"));
  EXPECT_EQ(behind.terms.seeds, 1);
  EXPECT_NEAR(behind.terms.difference, -0.02, 1e-12);
}

TEST(Stars, OneSeedTellsNothing) {
  const Compared found({sampled_run("t5", 0, {{1, 0.97}}), sampled_run("rope", 0, {{1, 0.6}})});
  EXPECT_THAT(found.starred(0), IsEmpty());
  EXPECT_TRUE(std::isfinite(found.row("t5").cells[0].inference.interval.low));
  EXPECT_THAT(found.notes(), HasSubstr("one seed: other seeds may differ more"));
}

TEST(Stars, AreNotForWhatDivergedOnce) {
  Runs runs = joined({three_runs("t5", {{1, 0.97}}), three_runs("rope", {{1, 0.6}})});
  runs[1] = stopped_run("t5", 1, RunStatus::diverged, "loss not finite at step 40");
  const Compared found(runs);
  EXPECT_THAT(found.starred(0), ElementsAre("rope"));
  EXPECT_THAT(found.notes(), HasSubstr("diverged in 1 of 3: seed 1 diverged (loss not finite"));
}

TEST(Stars, UnlikeSamplesDoNotPair) {
  Runs runs = joined({three_runs("t5", {{1, 0.97}}), three_runs("rope", {{1, 0.6}})});
  for (RunRecord& run : runs) {
    if (run.encoding == "rope") run.samples[0].hash = "other samples";
  }
  EXPECT_THAT(Compared(runs).starred(0), IsEmpty());
  runs = joined({three_runs("t5", {{1, 0.97}}), three_runs("rope", {{1, 0.6}})});
  runs[0].samples[0].hash = "other samples";  // of one seed of t5: its interval is of nothing
  const Compared found(runs);
  EXPECT_TRUE(found.row("t5").cells[0].samples.empty());
  EXPECT_THAT(found.starred(0), IsEmpty());
}

TEST(Stars, UnevenSeedsAreMarked) {
  Runs runs = joined({three_runs("t5", {{1, 0.9}}), three_runs("rope", {{1, 0.9}}),
                      three_runs("alibi", {{1, 0.8}})});
  runs.push_back(sampled_run("cope", 0, {{1, 0.9}}));
  runs.push_back(sampled_run("cope", 1, {{1, 0.9}}));
  runs.push_back(sampled_run("cope", 2, {{1, 0.4}}));
  const Compared found(runs);
  EXPECT_TRUE(found.row("cope").cells[0].uneven);
  EXPECT_FALSE(found.row("t5").cells[0].uneven);
  EXPECT_THAT(found.notes(), HasSubstr("uneven seeds"));
  std::erase_if(runs, [](const RunRecord& run) { return run.encoding < "cope"; });
  std::erase_if(runs, [](const RunRecord& run) { return run.encoding == "rope"; });
  EXPECT_FALSE(Compared(runs).row("cope").cells[0].uneven);  // two rows do not show it
}

// Beside rows that do not vary at all the sampling error decides: here 0.8 / sqrt(64) = 0.1.
TEST(Stars, SeedsWithinTheSamplingErrorAreNotUneven) {
  for (const double spread : {0.08, 0.12}) {
    Runs runs;
    for (int64_t seed = 0; seed < 3; ++seed) {
      const double value = 0.5 + spread * static_cast<double>(seed - 1);  // standard deviation
      runs.push_back(sampled_run("alibi", seed, {{1, 1}}, 0));
      runs.push_back(sampled_run("t5", seed, {{1, 1}}, 0));
      runs.push_back(table_run("rope", seed, {{1, value}}));
      runs.back().run_id = "rope";  // the same scatter in every seed
      keep_samples(runs.back(), 0.8);
      runs.back().run_id += std::to_string(seed);
    }
    EXPECT_EQ(Compared(runs).row("rope").cells[0].uneven, spread > 0.1);
  }
}

TEST(Stars, TheLastStepCounts) {
  Runs runs = three_runs("t5", {{1, 0.97}});
  for (RunRecord& run : runs) {
    for (const double share : {0.5, 0.25}) {
      run.evaluation.push_back(run.evaluation.front());
      run.evaluation.back().step = static_cast<int64_t>(100 * share);
      run.evaluation.back().value = share;
    }
    run.evaluation.front().step = 100;
    run.samples.front().step = 100;
  }
  const Compared found(runs);
  EXPECT_NEAR(found.row("t5").cells[0].summary.mean, 0.97, 0.01);
  EXPECT_EQ(found.row("t5").cells[0].samples.count(), kept_samples);
}

TEST(Underneath, SaysWhatTheTableRestsOn) {
  Runs runs = three_runs("t5", {{1, 0.97}});
  for (RunRecord& run : runs) {
    run.dataset_hash = "0123456789abcdef0123";
    run.commit = "17d7906aaaa";
    run.device = "cpu";
    run.cpu = "Some Model 9";
  }
  EXPECT_THAT(Compared(runs).notes(),
              HasSubstr(" seeds 0, 1, 2; 64 samples, each a sequence; not tuned\n"));
  EXPECT_THAT(Compared(runs).notes(), HasSubstr("[low, high]: 95 % intervals"));
  EXPECT_THAT(Compared(runs).notes(),
              HasSubstr(" commit 17d7906aaaa, data 0123456789ab, device cpu (Some Model 9)\n"));
  for (RunRecord& run : runs) run.tuning = R"({"trials":2,"of":6})";
  runs[0].tuning = R"({"trials":2,"of":6,"edge":["train.learning_rate"]})";
  EXPECT_THAT(Compared(runs).notes(),
              HasSubstr("t5: the choice is at the edge of the grid of train.learning_rate"));
  runs[0].tuning = R"({"trials":2,"of":6,"edge":["train.learning_rate"],"diverged":true})";
  EXPECT_THAT(Compared(runs).notes(), HasSubstr("t5: diverged in tuning, in every trial"));
  runs[1].commit = "1f73cc0";
  runs[1].uncommitted = "feed";
  EXPECT_THAT(Compared(runs).notes(), HasSubstr("tuned: 6 trials each, 2 of 6 of t5"));
  EXPECT_THAT(
      Compared(runs).notes(),
      HasSubstr("runs differ in commit: 17d7906aaaa, 1f73cc0 with uncommitted changes feed"));
}

}  // namespace
}  // namespace relbias::results
