// SPDX-License-Identifier: Apache-2.0
// tests/experiments/config: settings are read strictly, and their canonical text is an identity.
#include "experiments/config/config.h"

#include <gmock/gmock.h>

#include "tests/experiments/studies.h"

namespace relbias::experiments {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string error_of(const std::string& study_text) {
  return input_error_of([&]() { expand(parse_study(study_text, "s.toml"), {}); });
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const auto start = text.find(part);
  EXPECT_NE(start, std::string::npos) << part;
  return text.replace(start, part.size(), by);
}

std::string error_with(const std::string& part, const std::string& by) {
  return error_of(replaced(tiny_study(), part, by));
}

TEST(Config, EveryDefaultIsFilledIn) {
  const RunConfig config = tiny_run().config;
  EXPECT_EQ(config.train.sizes, std::vector<int64_t>{12});
  EXPECT_EQ(config.train.warmup, 4);  // a fifth of the steps, as 100 would be more
  EXPECT_EQ(config.seed, 0);
  EXPECT_THAT(config.model.positions.at(0).relation.canonical(), StartsWith("token"));
  EXPECT_THAT(config.model.positions.at(0).encoding.canonical(),
              AllOf(StartsWith("t5 num_buckets=32 "), HasSubstr(" encoding_rate=1")));
  EXPECT_EQ(config.data.task.canonical(), "lag-copy symbols=8 lag=5");
}

TEST(Config, EvaluationSizesDefaultToMultiplesOfTheTrainedSize) {
  const Study study = parse_study(replaced(tiny_study(), "sizes = [12, 24]", ""), "s.toml");
  EXPECT_EQ(expand(study, {}).at(0).config.evaluate.sizes, (std::vector<int64_t>{12, 24, 48, 96}));
}

TEST(Config, CanonicalTextIsReadBackToItself) {
  const auto run = tiny_run({"model.dropout=0.1", "train.learning_rate=1e-05", "model.scale=0.50",
                             "train.sizes=[12, 8]", "train.encoding_rate=10"});
  Settings settings;
  const auto table = parse_toml(run.text, "canonical");
  flatten(*table, "", settings);
  EXPECT_EQ(config_text(read_config(settings)), run.text);
}

TEST(Config, ItsTextHasEverySetting) {
  const auto run = tiny_run({"model.encoding=none"});
  EXPECT_EQ(run.text, R"(seed = 0

[data]
dataset = ""
task = "lag-copy symbols=8 lag=5"

[model]
layers = 1
width = 16
heads = 2
mlp_ratio = 4
dropout = 0.0
positions = [{encoding = "none past_range=extend", relation = "token randomize=0"}]
scale = "rsqrt"
length_scale = "none"
pattern = "full"
readout = "mean"
backend = "auto"

[train]
size = 12
sizes = [12]
steps = 20
batch = 4
optimiser = "adamw"
learning_rate = 0.003
schedule = "cosine"
warmup = 4
weight_decay = 0.01
betas = [0.9, 0.999]
clip = 1.0
encoding_rate = 1.0
log_every = 1

[evaluate]
sizes = [12, 24]
variants = []
metrics = []
split = "test"
at = [1.0]
samples = 8
tokens = 65536
batch_tokens = 8192

[keep]
weights = false
)");
}

TEST(Config, SpellingsOfOneConfigurationHaveOneId) {
  const std::string id = tiny_run().id;
  EXPECT_EQ(tiny_run({"model.encoding=t5 num_buckets=32"}).id, id);
  EXPECT_EQ(tiny_run({"train.learning_rate=0.003"}).id, id);
  EXPECT_EQ(tiny_run({"train.sizes=[12]"}).id, id);
  EXPECT_NE(tiny_run({"seed=1"}).id, id);
  EXPECT_NE(tiny_run({"model.encoding=t5 max_distance=64"}).id, id);  // elsewhere it was ignored
  const Study list =
      parse_study(replaced(tiny_study(), "encoding = \"t5\"",
                           "positions = [{encoding = \"t5\", relation = \"token\"}]"),
                  "s.toml");
  EXPECT_EQ(expand(list, {}).at(0).id, id);
}

TEST(Config, TheRateOfAnEncodingIsItsOwnOrTheStudys) {
  const RunConfig studys = tiny_run({"train.encoding_rate=10"}).config;
  EXPECT_THAT(studys.model.positions[0].encoding.canonical(), HasSubstr(" encoding_rate=10"));
  EXPECT_EQ(position_label(studys.model), "t5");
  const RunConfig own =
      tiny_run({"train.encoding_rate=10", "model.encoding=t5 encoding_rate=2"}).config;
  EXPECT_THAT(own.model.positions[0].encoding.canonical(), HasSubstr(" encoding_rate=2"));
  EXPECT_EQ(position_label(own.model), "t5 encoding_rate=2");
}

TEST(Config, UnknownKeysNameTheNearest) {
  EXPECT_THAT(error_with("steps = 20", "stesp = 20"),
              AllOf(StartsWith("s.toml:14:"), HasSubstr("unknown setting 'train.stesp'"),
                    HasSubstr("did you mean 'train.steps'?"), HasSubstr("train.batch")));
  EXPECT_THAT(error_with("[train]", "[trian]"), HasSubstr("unknown setting 'trian."));
  EXPECT_THAT(error_of(tiny_study("[evalute]\n")), HasSubstr("unknown setting 'evalute'"));
  EXPECT_THAT(error_of("train = 5\nquestion = \"?\"\n"),
              HasSubstr("s.toml:1:9: train: 5 found, a table expected"));
}

TEST(Config, WrongTypesAreErrors) {
  EXPECT_THAT(
      error_with("steps = 20", "steps = \"20\""),
      HasSubstr(
          "s.toml:14:9: train.steps: \"20\" found, a whole number, 1 to 1000000000, expected"));
  EXPECT_THAT(error_with("steps = 20", "steps = 20.0"), HasSubstr("a whole number"));
  EXPECT_THAT(error_with("steps = 20", "steps = true"), HasSubstr("a whole number"));
  EXPECT_THAT(error_with("batch = 4", "learning_rate = \"fast\""),
              HasSubstr("fast found, a number"));
  EXPECT_THAT(error_with("sizes = [12, 24]", "sizes = 12"), HasSubstr("a list of whole numbers"));
  EXPECT_THAT(error_with("sizes = [12, 24]", "sizes = []"), HasSubstr("a list of whole numbers"));
  EXPECT_THAT(error_with("encoding = \"t5\"", "encoding = 5"), HasSubstr("5 found, text expected"));
  EXPECT_THAT(error_with("encoding = \"t5\"", "positions = [\"t5\"]"), HasSubstr("{encoding"));
  EXPECT_THAT(error_with("encoding = \"t5\"", "positions = [{encodign = \"t5\"}]"),
              HasSubstr("did you mean 'encoding'?"));
}

TEST(Config, ValuesOutOfRangeAreErrors) {
  EXPECT_THAT(error_with("steps = 20", "steps = 0"),
              HasSubstr("0 found, a whole number, 1 to 1000000000"));
  EXPECT_THAT(error_with("batch = 4", "learning_rate = -1.0"), HasSubstr("at least 0"));
  EXPECT_THAT(error_with("batch = 4", "learning_rate = inf"), HasSubstr("inf found"));
  EXPECT_THAT(error_with("batch = 4", "learning_rate = nan"), HasSubstr("nan found"));
  EXPECT_THAT(error_with("layers = 1", "dropout = 1.5"), HasSubstr("0 to 0.99"));
  EXPECT_THAT(error_with("layers = 1", "backend = \"fsued\""), HasSubstr("did you mean 'fused'?"));
  EXPECT_THAT(error_with("layers = 1", "scale = \"rsqr\""), HasSubstr("rsqrt or none or a number"));
  EXPECT_THAT(error_with("layers = 1", "scale = -2.0"), HasSubstr("a number above 0 expected"));
  EXPECT_THAT(error_with("layers = 1", "scale = 0"), HasSubstr("a number above 0 expected"));
  EXPECT_THAT(error_with("batch = 4", "betas = [0.9]"), HasSubstr("1 numbers found, 2 expected"));
}

// Far above what can be run, and far below where products of several pass an int64.
TEST(Config, StepsAndSamplesHaveALargestNumber) {
  EXPECT_THAT(error_with("steps = 20", "steps = 1000000001"),
              StartsWith("s.toml:14:9: train.steps: 1000000001 found, a whole number, 1 to "));
  EXPECT_THAT(error_with("batch = 4", "batch = 1000001"),
              StartsWith("s.toml:15:9: train.batch: 1000001 found, a whole number, 1 to "));
  EXPECT_EQ(error_with("steps = 20", "steps = 1000000000"), "");
  EXPECT_EQ(error_with("batch = 4", "batch = 1000000"), "");
}

TEST(Config, NumbersAreShownAsTheyAreWritten) {
  const auto table = parse_toml("a = 0.003\nb = 3.0\nc = [1, 0.1, \"x\"]\nd = -1e-9\n", "n");
  EXPECT_EQ(text_of(*table->get("a")), "0.003");
  EXPECT_EQ(text_of(*table->get("b")), "3.0");
  EXPECT_EQ(text_of(*table->get("c")), "[1, 0.1, \"x\"]");
  EXPECT_EQ(text_of(*table->get("d")), "-1e-09");
}

TEST(Config, ContradictionsAreErrors) {
  EXPECT_THAT(error_with("size = 12", "size = 12\nsizes = [4, 8]"),
              HasSubstr("12 found, 8 expected, the largest of train.sizes"));
  EXPECT_THAT(error_with("batch = 4", "warmup = 21"),
              HasSubstr("21 found, at most train.steps (20) expected"));
  EXPECT_THAT(error_with("sizes = [12, 24]", "sizes = [12, 12]"), HasSubstr("12 is listed twice"));
  EXPECT_THAT(
      error_with("encoding = \"t5\"", "positions = [{encoding = \"t5\"}, {encoding = \"t5\"}]"),
      HasSubstr("t5 on token is listed twice"));
  EXPECT_THAT(
      error_with("encoding = \"t5\"", "encoding = \"t5\"\nrelation = \"tree tokens=nodes\""),
      HasSubstr("relation tree, option tokens: describes the example"));
  EXPECT_THAT(error_with("size = 12", "size = 9000000000"), HasSubstr("9000000000 found"));
  EXPECT_THAT(error_with("sizes = [12, 24]", "sizes = [9000000000]"),
              HasSubstr("9000000000 found"));
  EXPECT_THAT(
      error_with("encoding = \"t5\"", "encoding = \"t5\"\npositions = [{encoding = \"t5\"}]"),
      HasSubstr("two spellings of one thing"));
  EXPECT_THAT(error_with("size = 12", ""), HasSubstr("train.size: missing"));
}

TEST(Config, NamesAreCheckedWhereTheyStand) {
  EXPECT_THAT(error_with("\"t5\"", "\"t55\""),
              AllOf(StartsWith("s.toml:10:12: model.encoding: unknown encoding 't55'"),
                    HasSubstr("did you mean 't5'?"), HasSubstr("alibi")));
  EXPECT_THAT(error_with("\"t5\"", "\"t5 num_bukets=8\""),
              HasSubstr("did you mean 'num_buckets'?"));
  EXPECT_THAT(error_with("\"lag-copy\"", "\"lag-cpy\""),
              AllOf(HasSubstr("data.task: unknown task 'lag-cpy'"), HasSubstr("'lag-copy'?")));
  EXPECT_THAT(error_with("task = \"lag-copy\"", ""), HasSubstr("data.task: missing"));
  EXPECT_THAT(error_with("heads = 2", "heads = 2\nrelation = \"tokne\""),
              HasSubstr("did you mean 'token'?"));
}

TEST(Config, DatasetsBelongToTheirTasks) {
  EXPECT_THAT(error_with("task = \"lag-copy\"", "task = \"language-model\""),
              AllOf(HasSubstr("data.dataset: missing"), HasSubstr("shakespeare")));
  EXPECT_THAT(error_with("task = \"lag-copy\"", "task = \"lag-copy\"\ndataset = \"shakespeare\""),
              HasSubstr("lag-copy makes its own samples"));
}

TEST(Config, EverySettingIsDescribed) {
  for (const auto& setting : describe_settings()) {
    EXPECT_FALSE(setting.meaning.empty()) << setting.key;
    EXPECT_FALSE(setting.type.empty()) << setting.key;
  }
  EXPECT_GT(describe_settings().size(), 20u);
}

}  // namespace
}  // namespace relbias::experiments
