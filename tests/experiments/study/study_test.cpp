// SPDX-License-Identifier: Apache-2.0
// tests/experiments/study: studies, their sweeps, and what the command line makes of them.
#include "experiments/study/study.h"

#include <gmock/gmock.h>

#include "tests/experiments/studies.h"
#include "tests/scratch_folder.h"

namespace relbias::experiments {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const char* const sweep = R"(
[sweep]
seed = [0, 1]
"model.encoding" = ["alibi", "t5 num_buckets=8", "t5 num_buckets=16"]

[smoke]
"train.steps" = 2
seed = 7
)";

std::vector<std::string> labels(const std::vector<Run>& runs) {
  std::vector<std::string> texts;
  for (const auto& run : runs) texts.push_back(run.label);
  return texts;
}

std::vector<Run> runs_of(const Selection& selection) {
  return expand(parse_study(tiny_study(sweep), "my_study.toml"), selection);
}

std::string error_of(const std::string& text) {
  return input_error_of([&]() { expand(parse_study(text, "s.toml"), {}); });
}

TEST(Study, SweepsInTheOrderOfTheFileTheLastKeyFastest) {
  EXPECT_THAT(
      labels(runs_of({})),
      ElementsAre("seed=0, alibi", "seed=0, t5 num_buckets=8", "seed=0, t5 num_buckets=16",
                  "seed=1, alibi", "seed=1, t5 num_buckets=8", "seed=1, t5 num_buckets=16"));
  EXPECT_EQ(runs_of({})[3].config.seed, 1);
  EXPECT_THAT(runs_of({})[2].config.model.positions[0].encoding.canonical(),
              HasSubstr("num_buckets=16"));
}

TEST(Study, IsNamedAfterItsFile) {
  EXPECT_EQ(parse_study(tiny_study(), "a/b/my_study.toml").name, "my-study");
}

TEST(Study, SmokeReplacesBaseAndSweep) {
  const auto runs = runs_of({.smoke = true, .set = {}, .only = {}});
  EXPECT_THAT(labels(runs), ElementsAre("alibi", "t5 num_buckets=8", "t5 num_buckets=16"));
  EXPECT_EQ(runs[0].config.train.steps, 2);
  EXPECT_EQ(runs[0].config.seed, 7);
}

TEST(Study, SetReplacesSettingsAndPinsSweptOnes) {
  const auto runs = runs_of(
      {.smoke = true, .set = {"train.steps=3", "model.encoding=alibi", "seed=4"}, .only = {}});
  EXPECT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].config.train.steps, 3);
  EXPECT_EQ(runs[0].config.seed, 4);
  EXPECT_EQ(runs[0].label, "alibi");
}

TEST(Study, SetPositionsReplacesTheSweptEncoding) {
  const auto runs =
      runs_of({.smoke = false,
               .set = {"model.positions=[{encoding = \"rope\"}, {encoding = \"t5\"}]"},
               .only = {}});
  EXPECT_THAT(labels(runs), ElementsAre("seed=0", "seed=1"));
  EXPECT_EQ(position_label(runs[0].config.model), "rope@token + t5@token");
}

TEST(Study, SmokeIsReadEvenWithoutIt) {
  EXPECT_THAT(error_of(tiny_study("[smoke]\n\"train.stesp\" = 2\n")),
              HasSubstr("did you mean 'train.steps'?"));
}

TEST(Study, SetErrorsNameTheFlag) {
  const auto error = [](const std::string& set) {
    return input_error_of([&]() { runs_of({.smoke = false, .set = {set}, .only = {}}); });
  };
  EXPECT_THAT(error("train.steps=many"),
              HasSubstr("--set train.steps=many: train.steps: many found, a whole number"));
  EXPECT_THAT(error("train.stesp=3"), HasSubstr("did you mean 'train.steps'?"));
  EXPECT_THAT(error("train.steps"), HasSubstr("key=value expected"));
  EXPECT_THAT(error("model.encoding=alibbi"), HasSubstr("did you mean 'alibi'?"));
}

TEST(Study, OnlyKeepsValuesOfTheSweep) {
  const auto only = [](const std::vector<std::string>& filters) {
    return labels(runs_of({.smoke = false, .set = {}, .only = filters}));
  };
  EXPECT_THAT(only({"model.encoding=t5", "seed=1"}),
              ElementsAre("seed=1, t5 num_buckets=8", "seed=1, t5 num_buckets=16"));
  EXPECT_THAT(only({"model.encoding=t5 num_buckets=16,alibi", "seed=0"}),
              ElementsAre("seed=0, alibi", "seed=0, t5 num_buckets=16"));
  EXPECT_THAT(input_error_of([&]() { only({"model.encoding=rope"}); }),
              AllOf(HasSubstr("--only model.encoding=rope"), HasSubstr("alibi, t5 num_buckets=8")));
  EXPECT_THAT(input_error_of([&]() { only({"train.steps=3"}); }),
              HasSubstr("unknown key of the sweep 'train.steps': valid: seed, model.encoding"));
}

TEST(Study, PartsStandOverTheWholeStudy) {
  const Study study = parse_study(tiny_study(R"(
[sweep]
"model.encoding" = ["alibi", "t5"]

[smoke]
"train.steps" = 2

[[part]]
name = "short"
train = {size = 8, steps = 30}

[[part]]
name = "long"
data = {task = "lag-copy lag=3"}
sweep = {"model.encoding" = ["rope"], seed = [1, 2]}
smoke = {"train.batch" = 3}
)"),
                                  "parts.toml");
  const auto runs = expand(study, {});
  EXPECT_THAT(labels(runs),
              ElementsAre("short: alibi", "short: t5", "long: rope, seed=1", "long: rope, seed=2"));
  EXPECT_EQ(runs[0].config.train.size, 8);
  EXPECT_EQ(runs[0].config.train.steps, 30);
  EXPECT_EQ(runs[2].config.train.size, 12);
  EXPECT_THAT(runs[2].config.data.task.canonical(), HasSubstr("lag=3"));

  const auto smoke = expand(study, {.smoke = true, .set = {}, .only = {}});
  EXPECT_EQ(smoke[0].config.train.steps, 2);
  EXPECT_EQ(smoke[0].config.train.batch, 4);
  EXPECT_EQ(smoke[2].config.train.batch, 3);

  const auto only = expand(study, {.smoke = false, .set = {}, .only = {"model.encoding=t5,alibi"}});
  EXPECT_THAT(labels(only), ElementsAre("short: alibi", "short: t5"));
  EXPECT_THAT(input_error_of([&]() {
                expand(study, {.smoke = false, .set = {}, .only = {"model.encoding=kerple"}});
              }),
              HasSubstr("unknown value of model.encoding 'kerple'"));
  EXPECT_THAT(error_of(tiny_study("[[part]]\nseed = 1\n")), HasSubstr("part.name: missing"));
  EXPECT_THAT(error_of(tiny_study("[[part]]\nname = \"x\"\n[[part]]\nname = \"x\"\nseed = 1\n")),
              HasSubstr("part.name: 'x' found twice"));
}

TEST(Study, OnlyKnowsNamesWithCommas) {
  const Study study = parse_study(tiny_study(R"(
[[part]]
name = "short, two steps"
seed = 1
[[part]]
name = "short"
seed = 2
[[part]]
name = "long"
seed = 3
)"),
                                  "parts.toml");
  const auto only = [&](const std::string& filter) {
    return labels(expand(study, {.smoke = false, .set = {}, .only = {filter}}));
  };
  EXPECT_THAT(only("part=short, two steps"), ElementsAre("short, two steps: t5"));
  EXPECT_THAT(only("part=long,short, two steps"), ElementsAre("short, two steps: t5", "long: t5"));
  EXPECT_THAT(only("part=short,long"), ElementsAre("short: t5", "long: t5"));
  EXPECT_THAT(input_error_of([&]() { only("part=short, two"); }), HasSubstr("unknown part ' two'"));
  EXPECT_THAT(input_error_of([&]() { only("part=long,"); }), HasSubstr("unknown part ''"));
}

TEST(Study, OneRunTwiceIsAnError) {
  EXPECT_THAT(
      error_of(tiny_study("[sweep]\n\"model.encoding\" = [\"t5\", \"t5 num_buckets=32\"]\n")),
      HasSubstr("'t5' and 't5 num_buckets=32' are the same run"));
}

// The first of two values would have been dropped without a word.
TEST(Study, ASettingIsSetOnce) {
  const Study study = parse_study(tiny_study(), "s.toml");
  const auto error = [&](std::vector<std::string> set) {
    return input_error_of([&]() { expand(study, {.smoke = false, .set = set, .only = {}}); });
  };
  EXPECT_THAT(error({"train.steps=3", "train.steps=4"}),
              HasSubstr("--set train.steps=4: train.steps is set twice"));
  EXPECT_THAT(error({"train={steps=3}", "train.steps=4"}), HasSubstr("train.steps is set twice"));
  EXPECT_EQ(error({"train={steps=3}", "train.batch=4"}), "");
}

TEST(Study, ItsNameIsTheNameOfAFolder) {
  for (const char* name : {"...toml", "..toml", "a\nb.toml", "a\tb.toml"}) {
    EXPECT_THAT(input_error_of([&]() { parse_study(tiny_study(), name); }),
                HasSubstr("a name with a letter or a number expected"))
        << name;
  }
}

// The rate of what learns nothing changes no number.
TEST(Study, ASweepOverTheRateRunsWhatHasNoneOnce) {
  const Study study = parse_study(
      tiny_study("[sweep]\n\"train.encoding_rate\" = [1, 10]\n\"model.encoding\" = [\"alibi\", "
                 "\"t5\", \"t5 encoding_rate=3\"]\n"),
      "s.toml");
  std::map<std::string, int> runs;
  for (const auto& run : expand(study, {})) ++runs[position_label(run.config.model)];
  EXPECT_THAT(runs, testing::UnorderedElementsAre(std::pair("alibi", 1), std::pair("t5", 2),
                                                  std::pair("t5 encoding_rate=3", 1)));
}

TEST(Study, ErrorsNameTheirPlace) {
  EXPECT_THAT(error_of("question = \n"), HasSubstr("s.toml:1:"));
  EXPECT_THAT(error_of(""), HasSubstr("s.toml: empty, a study expected"));
  EXPECT_THAT(error_of("question = \"?\"\ndata = {task = \"lag-copy\"}\n"),
              HasSubstr("study s: train.size: missing"));
  EXPECT_THAT(error_of("seed = 1\n"), HasSubstr("s.toml: question: missing"));
  EXPECT_THAT(error_of("question = 5\n"),
              HasSubstr("s.toml:1:12: question: 5 found, text expected"));
  EXPECT_THAT(error_of(tiny_study("[sweep]\nseed = 1\n")),
              HasSubstr("sweep.seed: 1 found, a list of values expected"));
  EXPECT_THAT(error_of(tiny_study("[sweep]\nseeds = [1]\n")), HasSubstr("did you mean 'seed'?"));
  EXPECT_THAT(error_of(tiny_study("[sweep]\nseed = [0, \"one\"]\n")),
              HasSubstr("s.toml:23:12: seed: one found"));
}

TEST(Study, ClaimsAreAboutItsRuns) {
  const auto with = [](const std::string& claim) {
    return tiny_study(std::string(sweep) + "[[claim]]\n" + claim);
  };
  const std::string orders = "better = \"alibi\"\nworse = \"t5 num_buckets=8\"\n";
  const Study study = parse_study(with(orders + "at = 2\nwhy = \"it decays\"\n"), "s.toml");
  ASSERT_EQ(study.claims.size(), 1u);
  EXPECT_EQ(study.claims[0].better, "alibi");
  EXPECT_EQ(study.claims[0].at, 2.0);
  for (const char* fits :
       {"task = \"lag-copy\"\n", "relation = \"token\"\n", "modality = \"text\"\n"}) {
    EXPECT_EQ(error_of(with(orders + fits)), "") << fits;
  }
  EXPECT_EQ(error_of(with("better = \"alibi@token\"\nworse = \"t5\"\n")), "");
}

// Each of these was once accepted, and undecided after all runs.
TEST(Study, AClaimWithAMisspeltNameIsAnErrorWhenItIsRead) {
  const auto error = [](const std::string& claim) {
    const std::string text = tiny_study(std::string(sweep) + "[[claim]]\n" + claim);
    return input_error_of([&]() { parse_study(text, "s.toml"); });
  };
  const std::string orders = "better = \"alibi\"\nworse = \"t5\"\n";
  EXPECT_THAT(error(orders + "task = \"lag-copi\"\n"),
              AllOf(HasSubstr("s.toml: claim"), HasSubstr("unknown task of the study 'lag-copi'"),
                    HasSubstr("did you mean 'lag-copy'?")));
  EXPECT_THAT(error("better = \"alibbi\"\nworse = \"t5\"\n"),
              AllOf(HasSubstr("unknown encoding of the sweep 'alibbi'"),
                    HasSubstr("did you mean 'alibi'?")));
  EXPECT_THAT(error("better = \"alibi@grid\"\nworse = \"t5\"\n"),
              HasSubstr("unknown encoding of the sweep 'alibi@grid'"));
  EXPECT_THAT(error(orders + "relation = \"tokken\"\n"),
              HasSubstr("unknown relation of the study 'tokken'"));
  EXPECT_THAT(error(orders + "modality = \"txt\"\n"),
              HasSubstr("unknown modality of the study 'txt'"));
  EXPECT_THAT(error(orders + "at = 4\n"), HasSubstr("claim.at: 4 found, one of the evaluated"));
  EXPECT_THAT(error(orders + "metric = \"acuracy\"\n"),
              AllOf(HasSubstr("unknown metric 'acuracy'"), HasSubstr("did you mean 'accuracy'?")));
  EXPECT_EQ(error(orders + "metric = \"balanced accuracy\"\n"), "");
  EXPECT_THAT(error(orders + "condition = \"segments=9\"\n"),
              HasSubstr("none of evaluate.variants, 'segments=9'"));
  EXPECT_THAT(error("better = \"t5\"\nworse = \"t5\"\n"),
              HasSubstr("better and worse are both 't5'"));
}

TEST(Study, ClaimsHaveTwoSidesAndASize) {
  const auto with = [](const std::string& claim) {
    return tiny_study(std::string(sweep) + "[[claim]]\n" + claim);
  };
  const std::string orders = "better = \"alibi\"\nworse = \"t5 num_buckets=8\"\n";
  EXPECT_THAT(error_of(with(orders + "att = 4\n")), HasSubstr("did you mean 'at'?"));
  EXPECT_THAT(error_of(with(orders + "at = -1\n")), HasSubstr("-1 found"));
  EXPECT_THAT(error_of(with("better = \"alibi\"\n")), HasSubstr("better and worse expected"));
}

TEST(Study, UnknownNamesListTheStudies) {
  EXPECT_THAT(input_error_of([]() { load_study("quickstrat"); }),
              AllOf(HasSubstr("unknown study 'quickstrat'"),
                    HasSubstr("did you mean 'quickstart'?"), HasSubstr("text-gates")));
  EXPECT_THAT(input_error_of([]() { load_study("missing/folder.toml"); }),
              HasSubstr("missing/folder.toml: no such file"));
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "a.toml");
  folder.write("empty.toml", "");
  EXPECT_THAT(input_error_of([&]() { load_study(folder.path() / "empty.toml"); }),
              HasSubstr("empty.toml: empty, a study expected"));
  EXPECT_THAT(input_error_of([&]() { load_study(folder.path() / "a.toml"); }),
              HasSubstr("is a folder, a .toml file expected"));
}

}  // namespace
}  // namespace relbias::experiments
