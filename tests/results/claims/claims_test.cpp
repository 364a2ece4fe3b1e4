// SPDX-License-Identifier: Apache-2.0
// tests: verdicts on claims: what holds, what does not, what nobody can tell.
#include "results/claims/claims.h"

#include <gmock/gmock.h>

#include "results/claims/study_text.h"
#include "tests/results/example_run.h"
#include "tests/results/table_runs.h"
#include "tests/scratch_folder.h"

namespace relbias::results {
namespace {

using testing::HasSubstr;

// alibi is ahead of rope in every seed, t5 in some.
std::vector<RunRecord> three_seeds() {
  std::vector<RunRecord> runs;
  const std::vector<double> t5 = {0.9, 0.97, 0.93};
  for (int64_t seed = 0; seed < 3; ++seed) {
    const double noise = 0.01 * static_cast<double>(seed);
    runs.push_back(table_run("alibi", seed, {{1, 0.99}, {8, 0.94 + noise}}));
    runs.push_back(table_run("rope base=100", seed, {{1, 1}, {8, 0.6 + noise}}));
    runs.push_back(table_run("t5", seed, {{1, 0.99}, {8, t5[static_cast<size_t>(seed)]}}));
    runs.push_back(table_run("none", seed, {{1, 0.5}, {8, 0.99}}));
  }
  for (RunRecord& run : runs) {  // as configs have it: every option written out
    if (run.encoding != "rope base=100") continue;
    run.config =
        "[model]\npositions = [{encoding = \"rope layout=half base=100 fraction=1\", "
        "relation = \"token randomize=0\"}]\n";
  }
  return runs;
}

std::vector<Judgement> judged(const std::vector<RunRecord>& runs, const Claim& claim) {
  const std::vector<TaskRuns> groups = group_runs(runs);
  return judge({claim}, groups_of(groups, "text-gates"));
}

Judgement single(const std::vector<RunRecord>& runs, const Claim& claim) {
  const std::vector<Judgement> all = judged(runs, claim);
  EXPECT_EQ(all.size(), 1);
  return all.front();
}

TEST(Claims, HoldWhereEverySeedAgrees) {
  const Judgement found =
      single(three_seeds(), {.better = "alibi", .worse = "rope base=100", .at = 8});
  EXPECT_EQ(found.verdict, Verdict::holds);
  EXPECT_EQ(found.evidence,
            "alibi 0.95, rope base=100 0.61; better by 0.34 [0.34, 0.34] over 3 seeds, "
            "sign-flip p = 0.25");
  EXPECT_EQ(found.where, "text-gates: flip-flop (text)");
}

TEST(Claims, FailWhereEverySeedDisagrees) {
  EXPECT_EQ(single(three_seeds(), {.better = "rope base=100", .worse = "t5", .at = 8}).verdict,
            Verdict::fails);
}

TEST(Claims, AreUndecidedWhereSeedsDisagree) {
  EXPECT_EQ(single(three_seeds(), {.better = "alibi", .worse = "t5", .at = 8}).verdict,
            Verdict::undecided);
}

TEST(Claims, ADirectionDownTurnsThemRound) {
  std::vector<RunRecord> runs = three_seeds();
  for (RunRecord& run : runs) {
    run.better = "lower";
    run.ceiling = not_given;
  }
  EXPECT_EQ(single(runs, {.better = "rope", .worse = "alibi", .at = 8}).verdict, Verdict::holds);
  for (RunRecord& run : runs) run.better.clear();
  const Judgement unknown = single(runs, {.better = "rope", .worse = "alibi", .at = 8});
  EXPECT_EQ(unknown.verdict, Verdict::undecided);
  EXPECT_THAT(unknown.evidence, HasSubstr("no run says which way accuracy is better"));
}

TEST(Claims, OneSeedDecidesNothing) {
  const std::vector<RunRecord> runs = {table_run("alibi", 0, {{1, 1}}),
                                       table_run("t5", 0, {{1, 0.1}})};
  const Judgement found = single(runs, {.better = "alibi", .worse = "t5"});
  EXPECT_EQ(found.verdict, Verdict::undecided);
  EXPECT_THAT(found.evidence, HasSubstr("1 common seed, three are needed; in favour so far"));
}

TEST(Claims, WhatDidNotSolveItsTrainingSizeProvesNothingPastIt) {
  const Judgement found = single(three_seeds(), {.better = "none", .worse = "alibi", .at = 8});
  EXPECT_EQ(found.verdict, Verdict::undecided);
  EXPECT_THAT(found.evidence, HasSubstr("none did not solve the training size"));
  EXPECT_EQ(single(three_seeds(), {.better = "alibi", .worse = "none", .at = 1}).verdict,
            Verdict::holds);
}

TEST(Claims, BinsAboveTheTrainingSizeArePastIt) {
  std::vector<RunRecord> runs;
  for (int64_t seed = 0; seed < 3; ++seed) {
    for (const char* name : {"alibi", "rope"}) {
      const double value = name == std::string("alibi") ? 0.8 : 0.7;
      runs.push_back(table_run(name, seed, {}));
      runs.back().evaluation = {{32, not_given, "<=32", "accuracy", value, 0, 9, 0.5, true, ""},
                                {64, not_given, "33-64", "accuracy", value, 0, 9, 0.5, true, ""}};
    }
  }
  EXPECT_EQ(single(runs, {.better = "alibi", .worse = "rope", .at = 1}).verdict, Verdict::holds);
  const Judgement past = single(runs, {.better = "alibi", .worse = "rope", .at = 2});
  EXPECT_EQ(past.verdict, Verdict::undecided);
  EXPECT_THAT(past.evidence, HasSubstr("alibi did not solve the training size"));
}

TEST(Claims, StatesAreNoNumbers) {
  std::vector<RunRecord> runs = three_seeds();
  for (int64_t seed = 0; seed < 3; ++seed) {
    runs.push_back(stopped_run("shaw", seed, RunStatus::diverged, "at step 3"));
  }
  const Judgement found = single(runs, {.better = "alibi", .worse = "shaw", .at = 8});
  EXPECT_EQ(found.verdict, Verdict::undecided);
  EXPECT_THAT(found.evidence, HasSubstr("shaw is diverged"));
}

TEST(Claims, WhatIsNotThereIsSaid) {
  EXPECT_EQ(single(three_seeds(), {.better = "alibi", .worse = "fire"}).evidence,
            "no runs of both encodings in the same settings");
  EXPECT_EQ(single(three_seeds(), {.better = "alibi", .worse = "t5", .task = "lag-copy"}).evidence,
            "no runs of both encodings in the same settings");
  EXPECT_THAT(single(three_seeds(), {.better = "alibi", .worse = "t5", .at = 3}).evidence,
              HasSubstr("nothing was evaluated at 3x"));
}

TEST(Claims, ATaskIsNamedWithOrWithoutItsOptions) {
  std::vector<RunRecord> runs = three_seeds();
  for (RunRecord& run : runs) run.task = "flip-flop noise=0.5";
  for (const char* task : {"flip-flop", "flip-flop noise=0.5", ""}) {
    EXPECT_EQ(single(runs, {.better = "alibi", .worse = "rope", .at = 8, .task = task}).verdict,
              Verdict::holds);
  }
  EXPECT_EQ(
      single(runs, {.better = "alibi", .worse = "rope", .task = "flip-flop noise=1"}).evidence,
      "no runs of both encodings in the same settings");
}

TEST(Claims, EncodingsAreNamedByTheOptionsThatMatter) {
  RunRecord run = three_seeds()[1];
  EXPECT_TRUE(is_meant(run, "rope base=100"));
  EXPECT_TRUE(is_meant(run, "rope"));
  EXPECT_TRUE(is_meant(run, "rope layout=half"));
  EXPECT_TRUE(is_meant(run, "rope@token"));
  EXPECT_TRUE(is_meant(run, "rope base=100@token"));
  EXPECT_FALSE(is_meant(run, "rope base=10000"));
  EXPECT_FALSE(is_meant(run, "rope@grid"));
  run.relation = "token randomize=64";
  EXPECT_TRUE(is_meant(run, "rope base=100@token"));
  EXPECT_TRUE(is_meant(run, "rope@token randomize=64"));
  EXPECT_FALSE(is_meant(run, "rope@token randomize=32"));
  EXPECT_FALSE(is_meant(run, "xpos"));
  EXPECT_FALSE(is_meant(run, ""));
}

TEST(Claims, SettingsStayApart) {
  std::vector<RunRecord> runs = three_seeds();
  const size_t count = runs.size();
  for (size_t i = 0; i < count; ++i) {
    runs.push_back(runs[i]);
    runs.back().run_id += "-log";
    runs.back().config += "length_scale = \"log\"\n";
  }
  EXPECT_EQ(judged(runs, {.better = "alibi", .worse = "rope", .at = 8}).size(), 2);

  // Where only one side was run with several, those without a counterpart are not judged.
  std::erase_if(runs, [](const RunRecord& run) {
    return run.encoding == "none" && run.run_id.ends_with("-log");
  });
  EXPECT_EQ(judged(runs, {.better = "alibi", .worse = "none", .at = 8}).size(), 1);
  EXPECT_EQ(judged(runs, {.better = "none", .worse = "alibi", .at = 8}).size(), 1);
}

TEST(Claims, AreReadBackAsTheyAreWritten) {
  const std::vector<Claim> claims = {
      {.better = "t5@token + table@tree", .worse = "rope", .at = 2.5, .why = "a \"why\" \\ here"},
      {.better = "a", .worse = "b", .condition = "segments=4"}};
  const auto read = parse_study_text(claims_as_toml(claims), "s").claims;
  ASSERT_EQ(read.size(), 2);
  EXPECT_EQ(read[0].better, claims[0].better);
  EXPECT_EQ(read[0].at, 2.5);
  EXPECT_EQ(read[0].why, claims[0].why);
  EXPECT_EQ(read[1].condition, "segments=4");
  EXPECT_EQ(read[1].at, 1);
}

TEST(Claims, ATaskThatLacksTheSizeIsSilentWhereAnotherHasIt) {
  std::vector<RunRecord> runs = three_seeds();
  for (const RunRecord& run : three_seeds()) {
    runs.push_back(run);
    runs.back().task = "flip-flop ignore=0.5";
    std::erase_if(runs.back().evaluation, [](const auto& row) { return row.factor > 1; });
  }
  const Claim claim{.better = "alibi", .worse = "rope base=100", .at = 8};
  EXPECT_EQ(single(runs, claim).verdict, Verdict::holds);
  std::erase_if(runs, [](const RunRecord& run) { return run.task == "flip-flop"; });
  EXPECT_THAT(single(runs, claim).evidence, HasSubstr("nothing was evaluated at 8x"));
}

TEST(StudyText, IsReadBesideTheRuns) {
  const ScratchFolder folder;
  const std::string claim =
      "[[claim]]\nbetter = \"alibi\"\nworse = \"rope\"\nat = 8\ntask = \"t\"\n";
  folder.write("gates/gates.toml", "question = \"Q?\"\nexpected = \"E\"\n[data]\nx = 1\n" + claim);
  folder.write("gates/other.toml", "not toml at all");  // no study of that name
  folder.write("broken/broken.toml", "question = \n");  // half-written
  folder.write("wrong/wrong.toml", "[[claim]]\nbetter = \"alibi\"\n");
  const StudiesRead read = read_studies(folder.path());
  ASSERT_EQ(read.studies.size(), 1);
  EXPECT_EQ(read.studies[0].name, "gates");
  EXPECT_EQ(read.studies[0].question, "Q?");
  ASSERT_EQ(read.studies[0].claims.size(), 1);
  EXPECT_EQ(read.studies[0].claims[0].at, 8);
  EXPECT_EQ(read.studies[0].claims[0].task, "t");
  ASSERT_EQ(read.problems.size(), 2);
  EXPECT_THAT(read.problems[0], HasSubstr("broken: line 1"));
  EXPECT_THAT(read.problems[1], HasSubstr("wrong: line 1: claim: better and worse expected"));
  EXPECT_TRUE(read_studies(folder.path() / "nowhere").studies.empty());

  folder.write("renamed/one.h5", "a run");
  folder.write("renamed/gates.toml", claim);
  folder.write("no runs/gates.toml", claim);
  EXPECT_EQ(read_studies(folder.path() / "renamed").studies.size(), 1);
  EXPECT_TRUE(read_studies(folder.path() / "no runs").studies.empty());
}

TEST(StudyText, ValuesOfAnotherTypeAreFaults) {
  const auto fault_in = [](const std::string& text) {
    return store_error([&] { (void)parse_study_text(text, "bad"); });
  };
  const std::string claim = "[[claim]]\nbetter = \"alibi\"\nworse = \"rope\"\n";
  EXPECT_EQ(fault_in(claim + "at = \"4\"\n"), "bad: line 4: at = '4' found, a number expected");
  EXPECT_EQ(fault_in("[[claim]]\nbetter = 3\n"), "bad: line 2: better = 3 found, a text expected");
  EXPECT_EQ(fault_in("question = true\n"), "bad: line 1: question = true found, a text expected");
  EXPECT_EQ(fault_in("\n[claim]\nbetter = \"alibi\"\n"),
            "bad: line 2: claim = table found, [[claim]] expected");
  EXPECT_EQ(fault_in("claim = [1]\n"), "bad: line 1: claim = array found, [[claim]] expected");
  EXPECT_EQ(parse_study_text(claim + "at = 4\n", "good").claims.at(0).at, 4);
}

}  // namespace
}  // namespace relbias::results
