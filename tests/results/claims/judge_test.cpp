// SPDX-License-Identifier: Apache-2.0
// tests: verdicts on claims: what holds, what fails, what nobody can tell.
#include "results/claims/judge.h"

#include <gmock/gmock.h>

#include "results/claims/naming.h"
#include "tests/results/sampled_runs.h"

namespace relbias::results {
namespace {

using testing::HasSubstr;

using Runs = std::vector<RunRecord>;

// alibi is far ahead of rope, t5 about as good, `none` guesses at 8x.
Runs four_encodings() {
  Runs runs;
  const std::map<std::string, std::map<int64_t, double>> all = {
      {"alibi", {{1, 0.99}, {8, 0.95}}},
      {"rope base=100", {{1, 1}, {8, 0.7}}},
      {"t5", {{1, 0.99}, {8, 0.951}}},
      {"none", {{1, 0.9}, {8, 0.5}}}};
  for (const auto& [encoding, accuracy] : all) {
    const Runs three = three_runs(encoding, accuracy);
    runs.insert(runs.end(), three.begin(), three.end());
  }
  return runs;
}

std::vector<Judgement> judged(const Runs& runs, const std::vector<Claim>& claims) {
  const std::vector<TaskRuns> groups = group_runs(runs);
  return judge(claims, groups_of(groups, "text-gates"));
}

Judgement single(const Runs& runs, const Claim& claim) {
  const std::vector<Judgement> all = judged(runs, {claim});
  EXPECT_EQ(all.size(), 1);
  return all.front();
}

TEST(Judge, HoldsFailsUndecided) {
  const Judgement holds =
      single(four_encodings(), {.better = "alibi", .worse = "rope base=100", .at = 8});
  EXPECT_EQ(to_string(holds.verdict), "holds");
  EXPECT_THAT(holds.evidence, HasSubstr("; better by 0.25"));
  EXPECT_THAT(holds.evidence, HasSubstr(", 3 seeds, 64 samples"));
  EXPECT_EQ(holds.where, "text-gates: flip-flop (text)");
  EXPECT_EQ(to_string(single(four_encodings(), {.better = "rope", .worse = "t5", .at = 8}).verdict),
            "fails");
  EXPECT_EQ(
      to_string(single(four_encodings(), {.better = "t5", .worse = "alibi", .at = 8}).verdict),
      "undecided");
}

TEST(Judge, AllClaimsOfAStudyShareTheirErrors) {
  const Claim claim{.better = "alibi", .worse = "rope", .at = 8};
  const Judgement alone = single(four_encodings(), claim);
  EXPECT_EQ(alone.adjusted, alone.inference.p);
  std::vector<Claim> claims(4, Claim{.better = "alibi", .worse = "t5", .at = 8});
  claims.push_back(claim);
  const auto all = judged(four_encodings(), claims);
  ASSERT_EQ(all.size(), 5);
  EXPECT_NEAR(all[4].adjusted, 5 * alone.inference.p, 1e-12);
  EXPECT_THAT(all[4].evidence, HasSubstr("after Holm over 5"));
  EXPECT_EQ(all[4].verdict, Verdict::holds);
}

TEST(Judge, ADirectionDownTurnsThemRound) {
  Runs runs = four_encodings();
  for (RunRecord& run : runs) {
    run.better = "lower";
    run.ceiling = not_given;
    for (EvaluationRow& row : run.evaluation) row.chance = 2;
  }
  EXPECT_EQ(single(runs, {.better = "rope", .worse = "alibi", .at = 8}).verdict, Verdict::holds);
  for (RunRecord& run : runs) run.better.clear();
  const Judgement unknown = single(runs, {.better = "rope", .worse = "alibi", .at = 8});
  EXPECT_EQ(unknown.verdict, Verdict::undecided);
  EXPECT_THAT(unknown.evidence, HasSubstr("no run says which way accuracy is better"));
}

TEST(Judge, OneSeedIsOneSeed) {
  const Runs runs = {sampled_run("alibi", 0, {{1, 1}}), sampled_run("t5", 0, {{1, 0.6}})};
  const Judgement found = single(runs, {.better = "alibi", .worse = "t5"});
  EXPECT_EQ(to_string(found.verdict), "one seed");
  EXPECT_THAT(found.evidence, HasSubstr("better by 0.4 ["));
  EXPECT_THAT(found.evidence, HasSubstr("other seeds may differ more"));
}

// Two models that were trained for two steps once "reproduced" the order of a paper.
TEST(Judge, WhatGuessesProvesNothing) {
  Runs runs;
  for (int64_t seed = 0; seed < 3; ++seed) {
    runs.push_back(sampled_run("alibi", seed, {{1, 0.5}, {8, 0.49}}));
    runs.push_back(sampled_run("rope", seed, {{1, 0.48}, {8, 0.4}}));
  }
  const Judgement found = single(runs, {.better = "alibi", .worse = "rope", .at = 8});
  EXPECT_EQ(to_string(found.verdict), "unlearned");
  EXPECT_THAT(found.evidence, HasSubstr("alibi is not above guessing"));
  EXPECT_LE(found.adjusted, significance);
}

// Ahead at 8x by chance, without having learned the training size.
TEST(Judge, WhatGuessesAtTheTrainingSizeProvesNothingPastIt) {
  Runs runs = three_runs("none", {{1, 0.5}, {8, 0.99}});
  for (const RunRecord& run : three_runs("alibi", {{1, 0.99}, {8, 0.9}})) runs.push_back(run);
  EXPECT_EQ(single(runs, {.better = "none", .worse = "alibi", .at = 8}).verdict,
            Verdict::unlearned);
  // The side that is behind may guess.
  EXPECT_EQ(single(four_encodings(), {.better = "alibi", .worse = "none", .at = 8}).verdict,
            Verdict::holds);
}

// t5 is below the threshold of the training size, above guessing, and loses: that holds.
TEST(Judge, NotSolvedIsANoteAndNoGate) {
  Runs runs = three_runs("rope", {{1, 0.97}, {4, 0.9}});
  for (const RunRecord& run : three_runs("t5", {{1, 0.85}, {4, 0.7}})) runs.push_back(run);
  const Judgement found = single(runs, {.better = "rope", .worse = "t5", .at = 4});
  EXPECT_EQ(found.verdict, Verdict::holds);
  EXPECT_THAT(found.evidence, HasSubstr("t5 did not solve the training size"));
}

TEST(Judge, ADivergedSeedIsAResult) {
  Runs runs;
  for (int64_t seed = 0; seed < 5; ++seed) {
    runs.push_back(sampled_run("alibi", seed, {{1, 0.99}}));
    runs.push_back(seed == 1 || seed == 3
                       ? stopped_run("rope", seed, RunStatus::diverged, "at step 3")
                       : sampled_run("rope", seed, {{1, 0.6}}));
  }
  const Judgement found = single(runs, {.better = "alibi", .worse = "rope"});
  EXPECT_EQ(to_string(found.verdict), "diverged");
  EXPECT_THAT(found.evidence, HasSubstr("rope diverged or failed in 2 of 5"));
  EXPECT_TRUE(std::isnan(found.adjusted));
}

TEST(Judge, UnevenSeedsNeedTen) {
  for (const int64_t seeds : {3, 10}) {
    Runs runs;
    for (int64_t seed = 0; seed < seeds; ++seed) {
      const double little = 0.001 * static_cast<double>(seed);
      runs.push_back(sampled_run("alibi", seed, {{1, 0.9 + little}}));
      runs.push_back(sampled_run("t5", seed, {{1, 0.9 - little}}));
      runs.push_back(sampled_run("rope", seed, {{1, seed % 2 == 0 ? 0.6 : 0.52}}));
    }
    const Judgement found = single(runs, {.better = "alibi", .worse = "rope"});
    EXPECT_EQ(found.verdict, seeds == 10 ? Verdict::holds : Verdict::undecided) << found.evidence;
    if (seeds == 3) EXPECT_THAT(found.evidence, HasSubstr("uneven seeds"));
  }
}

TEST(Judge, WithoutSamplesThereIsNoVerdict) {
  Runs runs = four_encodings();
  for (RunRecord& run : runs) run.samples.clear();
  const Judgement found = single(runs, {.better = "alibi", .worse = "rope", .at = 8});
  EXPECT_EQ(found.verdict, Verdict::undecided);
  EXPECT_THAT(found.evidence, HasSubstr("no test samples"));
}

TEST(Judge, BinsStandForTheirSizes) {
  Runs runs;
  for (int64_t seed = 0; seed < 3; ++seed) {
    for (const char* name : {"alibi", "rope"}) {
      const double value = name == std::string("alibi") ? 0.8 : 0.7;
      runs.push_back(table_run(name, seed, {}));
      runs.back().evaluation = {{32, not_given, "<=32", "accuracy", value, 0, 9, 0.5, true, ""},
                                {64, not_given, "33-64", "accuracy", value, 0, 9, 0.5, true, ""}};
      keep_samples(runs.back());
    }
  }
  for (const double at : {1, 2}) {
    EXPECT_EQ(single(runs, {.better = "alibi", .worse = "rope", .at = at}).verdict, Verdict::holds);
  }
}

TEST(Judge, StatesAreNoNumbers) {
  Runs runs = four_encodings();
  for (int64_t seed = 0; seed < 3; ++seed) {
    runs.push_back(stopped_run("shaw", seed, RunStatus::running, ""));
  }
  const Judgement found = single(runs, {.better = "alibi", .worse = "shaw", .at = 8});
  EXPECT_EQ(found.verdict, Verdict::undecided);
  EXPECT_THAT(found.evidence, HasSubstr("shaw is running"));
}

TEST(Judge, WhatIsNotThereIsSaid) {
  EXPECT_EQ(single(four_encodings(), {.better = "alibi", .worse = "fire"}).evidence,
            "no runs of both encodings in the same settings");
  EXPECT_EQ(
      single(four_encodings(), {.better = "alibi", .worse = "t5", .task = "lag-copy"}).evidence,
      "no runs of both encodings in the same settings");
  EXPECT_THAT(single(four_encodings(), {.better = "alibi", .worse = "t5", .at = 3}).evidence,
              HasSubstr("nothing was evaluated at 3x"));
}

TEST(Judge, ATaskIsNamedWithOrWithoutItsOptions) {
  Runs runs = four_encodings();
  for (RunRecord& run : runs) run.task = "flip-flop noise=0.5";
  for (const char* task : {"flip-flop", "flip-flop noise=0.5", ""}) {
    EXPECT_EQ(single(runs, {.better = "alibi", .worse = "rope", .at = 8, .task = task}).verdict,
              Verdict::holds);
  }
  EXPECT_EQ(
      single(runs, {.better = "alibi", .worse = "rope", .task = "flip-flop noise=1"}).evidence,
      "no runs of both encodings in the same settings");
}

TEST(Judge, ATaskThatLacksTheSizeIsSilentWhereAnotherHasIt) {
  Runs runs = four_encodings();
  for (const RunRecord& run : four_encodings()) {
    runs.push_back(run);
    runs.back().run_id += "-other";
    runs.back().task = "flip-flop ignore=0.5";
    std::erase_if(runs.back().evaluation, [](const auto& row) { return row.factor > 1; });
  }
  const Claim claim{.better = "alibi", .worse = "rope base=100", .at = 8};
  EXPECT_EQ(single(runs, claim).verdict, Verdict::holds);
  std::erase_if(runs, [](const RunRecord& run) { return run.task == "flip-flop"; });
  EXPECT_THAT(single(runs, claim).evidence, HasSubstr("nothing was evaluated at 8x"));
}

TEST(Naming, EncodingsAreNamedByTheOptionsThatMatter) {
  RunRecord run;
  run.encoding = "rope base=100 layout=interleaved";
  run.positions = {{.encoding = "rope",
                    .options = {{"base", "100"}, {"layout", "interleaved"}},
                    .relation = "token"}};
  for (const char* name : {"rope base=100", "rope", "rope layout=interleaved base=100",
                           "rope@token", "rope base=100@token"}) {
    EXPECT_TRUE(is_meant(run, name)) << name;
  }
  for (const char* name : {"rope base=10000", "rope@grid", "xpos", "", "rope + rope"}) {
    EXPECT_FALSE(is_meant(run, name)) << name;
  }
  run.positions[0].relation_options = {{"randomize", "64"}};
  EXPECT_TRUE(is_meant(run, "rope base=100@token"));
  EXPECT_TRUE(is_meant(run, "rope@token randomize=64"));
  EXPECT_FALSE(is_meant(run, "rope@token randomize=32"));
}

TEST(Naming, PairsOfPositionsInAnyOrder) {
  RunRecord run;
  run.encoding = "t5@token + table@tree";
  run.positions = {{.encoding = "t5", .relation = "token"},
                   {.encoding = "table", .relation = "tree", .relation_options = {{"clip", "4"}}}};
  for (const char* name : {"t5@token + table@tree", "table@tree + t5@token", "t5 + table",
                           "t5@token + table@tree clip=4"}) {
    EXPECT_TRUE(is_meant(run, name)) << name;
  }
  for (const char* name :
       {"t5@token", "t5@tree + table@token", "t5@token + table@tree clip=8", "t5 + t5"}) {
    EXPECT_FALSE(is_meant(run, name)) << name;
  }
}

}  // namespace
}  // namespace relbias::results
