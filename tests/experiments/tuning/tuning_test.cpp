// SPDX-License-Identifier: Apache-2.0
// tests/experiments/tuning: what is tried for each encoding.
#include "experiments/tuning/tuning.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "experiments/tuning/trial.h"
#include "tests/experiments/tuning/tuned_studies.h"

namespace relbias::experiments {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<TunedCell>& cells() {
  static const std::vector<TunedCell> all = tuned_cells(tuned_study(), {});
  return all;
}

const TunedCell& cell(const std::string& name) {
  return *std::ranges::find(cells(), name, &TunedCell::name);
}

TEST(Tuning, TriesWhatDiffersForTheEncoding) {
  std::map<std::string, size_t> trials;
  for (const TunedCell& one : cells()) {
    trials[one.name] = one.trials.size();
    EXPECT_EQ(one.of, 6) << one.name;
  }
  const std::map<std::string, size_t> expected{
      {"none", 2}, {"t5", 6}, {"alibi", 2}, {"rope", 6}, {"learned", 6}};
  EXPECT_EQ(trials, expected);
  std::set<std::string> ids;
  for (const auto& seeds : cell("t5").trials) ids.insert(seeds.front().id);
  EXPECT_EQ(ids.size(), 6U);
}

TEST(Tuning, LearningRatesComeFirstAndAreTheSameForAll) {
  std::vector<double> rates;
  for (const auto& seeds : cell("none").trials) {
    rates.push_back(seeds[0].config.train.learning_rate);
  }
  ASSERT_THAT(rates, testing::UnorderedElementsAre(1e-3, 3e-3));
  for (const TunedCell& one : cells()) {
    for (size_t n = 0; n < one.trials.size(); ++n) {
      EXPECT_EQ(one.trials[n][0].config.train.learning_rate, rates[n % 2]) << one.name << n;
    }
  }
}

TEST(Tuning, FewerTrialsAreDrawnByTheStudysName) {
  std::string tune = tune_table;
  tune.replace(tune.find("= 6"), 3, "= 3");
  const auto drawn = [&](const std::string& name) {
    Study study = tuned_study(tune);
    study.name = name;
    std::vector<std::string> labels;
    for (const TunedCell& one : tuned_cells(study, {})) {
      for (const auto& seeds : one.trials) labels.push_back(seeds[0].label);
    }
    return labels;
  };
  EXPECT_EQ(drawn("tuned").size(), 3U + 3 + 3 + 2 + 2);
  EXPECT_EQ(drawn("tuned"), drawn("tuned"));
  std::set<std::vector<std::string>> all;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) all.insert(drawn(name));
  EXPECT_GT(all.size(), 1U);
}

TEST(Tuning, ATrialSeesTheValidationSplitAtTheTrainingSizeOnly) {
  for (const TunedCell& one : cells()) {
    for (const auto& seeds : one.trials) {
      const RunConfig& config = seeds[0].config;
      EXPECT_EQ(config.evaluate.split, "validation");
      EXPECT_THAT(config.evaluate.sizes, ElementsAre(config.train.size));
      EXPECT_EQ(config.seed, 100);
      EXPECT_EQ(seeds[0].role, "trial");
    }
  }
}

TEST(Tuning, WhatIsChosenIsNoPartOfTheName) {
  Choices choices;
  for (const TunedCell& one : cells()) choices[one.name] = {one.trials.size() - 1};
  for (auto& run : expand(tuned_study(), {}, choices)) {
    EXPECT_FALSE(run.is_open);
    const auto tuning = nlohmann::json::parse(run.tuning);
    EXPECT_EQ(tuning.at("of").get<int>(), 6);
    RunConfig named = run.config;
    take_tuned_out(run.tuning, named);
    EXPECT_EQ(position_label(named.model), tuning.at("cell").get<std::string>());
    if (tuning.at("cell") != "rope") continue;
    const double base = run.config.model.positions[0].encoding.real("base");
    EXPECT_EQ(tuning.at("chosen").at("rope.base").get<std::string>(), option_text(base) == "100"
                                                                          ? "100"
                                                                      : base == 10 ? "10"
                                                                                   : "10000");
    EXPECT_FALSE(tuning.at("chosen").contains("train.encoding_rate"));
    const bool is_edge = base != 100;
    EXPECT_EQ(tuning.at("edge").dump().find("rope.base") != std::string::npos, is_edge);
  }
}

TEST(Tuning, WithoutAChoiceRunsAreOpen) {
  for (const auto& run : expand(tuned_study(), {})) EXPECT_TRUE(run.is_open);
}

// All trials would have been for nothing: the twin showed only when they were done.
TEST(Tuning, AChoiceThatAnotherPartWritesOutIsOneRun) {
  const Study study = parse_study(tiny_study(R"(
[[part]]
name = "plain"
sweep = {"train.learning_rate" = [1e-3, 3e-3]}

[[part]]
name = "tuned"
tune = {over = {"train.learning_rate" = [1e-3, 3e-3]}, trials = 2, seeds = [100]}
)"),
                                  "both.toml");
  EXPECT_EQ(expand(study, {}).size(), 3);  // the open one has no id yet
  const auto runs = expand(study, {}, {{"tuned: t5", {1}}});
  ASSERT_EQ(runs.size(), 2);
  const auto chosen =
      std::ranges::find_if(runs, [](const auto& run) { return !run.tuning.empty(); });
  ASSERT_NE(chosen, runs.end());
  EXPECT_THAT(chosen->label, HasSubstr("tuned: t5 (and plain: learning_rate="));
  EXPECT_FALSE(chosen->is_open);
}

TEST(Tuning, WhatIsSetByHandIsNotTuned) {
  const Selection one{.set = {"train.learning_rate=1e-2"}};
  for (const TunedCell& tuned : tuned_cells(tuned_study(), one)) {
    for (const auto& seeds : tuned.trials) {
      EXPECT_EQ(seeds[0].config.train.learning_rate, 1e-2);
    }
  }
  std::string only = tune_table;
  only.replace(only.find("each"), only.find("trials") - only.find("each"), "");
  const Selection both{.set = {"train.learning_rate=1e-2", "train.encoding_rate=3"}};
  EXPECT_TRUE(tuned_cells(tuned_study(only), both).empty());
}

TEST(Tuning, SaysWhatIsWrong) {
  const auto error = [](const std::string& table) {
    return input_error_of([&] { expand(tuned_study("\n[tune]\n" + table), {}); });
  };
  const std::string rest = "\ntrials = 2\nseeds = [100]\n";
  EXPECT_THAT(error("over = {\"train.learning_rat\" = [1, 2]}" + rest),
              HasSubstr("did you mean 'train.learning_rate'"));
  EXPECT_THAT(error("over = {\"model.encoding\" = [\"t5 encoding_rate=1\", \"t5\"]}" + rest),
              HasSubstr("tuned by tune.each"));
  EXPECT_THAT(error("over = {\"train.steps\" = [10]}" + rest),
              HasSubstr("a list of two values or more expected"));
  EXPECT_THAT(error("each = {\"rop\" = {\"base\" = [10, 100]}}" + rest),
              HasSubstr("did you mean 'rope'"));
  EXPECT_THAT(error("each = {\"rope\" = {\"bas\" = [10, 100]}}" + rest), HasSubstr("bas"));
  EXPECT_THAT(error("over = {\"train.learning_rate\" = [1e-3, 1e-2]}\ntrials = 2\nseeds = [1]\n"),
              HasSubstr("tune.seeds: 1 found, which is a seed of the study itself"));
  EXPECT_THAT(error("over = {\"train.learning_rate\" = [1e-3, 1e-2]}\ntrials = 2\n"),
              HasSubstr("tune.seeds: missing"));
  EXPECT_THAT(error("trials = 2\nseeds = [7]\n"), HasSubstr("tune.over: missing"));
  EXPECT_THAT(error("trial = 2\n"), HasSubstr("did you mean 'trials'"));
}

TEST(Tuning, ARateThatAnEncodingNamesItselfWouldBeInert) {
  Study study = parse_study(tiny_study(R"(
[sweep]
"model.encoding" = ["alibi", "t5 encoding_rate=30"]
[smoke]
"train.steps" = 2
)" + tune_table),
                            "tuned.toml");
  EXPECT_THAT(input_error_of([&] { tuned_cells(study, {}); }),
              HasSubstr("train.encoding_rate is inert for t5 encoding_rate=30"));
}

}  // namespace
}  // namespace relbias::experiments
