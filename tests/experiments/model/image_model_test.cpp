// SPDX-License-Identifier: Apache-2.0
// tests: a vision transformer as a config describes it, on real pictures of several sizes.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "experiments/run/experiment.h"
#include "experiments/study/study.h"
#include "tests/error_of.h"

namespace relbias::experiments {
namespace {

using testing::HasSubstr;

// A tiny transformer on digits; `model` is more lines of its table.
RunConfig config_of(const std::string& model) {
  const std::string study = R"(question = "does it see?"
[data]
dataset = "digits"
task = "classification"
[train]
size = 20
steps = 2
batch = 3
[evaluate]
sizes = [20, 28]
samples = 4
[model]
layers = 2
width = 16
heads = 2
)" + model;
  return expand(parse_study(study, "vit.toml"), {.smoke = false, .set = {}, .only = {}})
      .at(0)
      .config;
}

Experiment built(const std::string& model) {
  DatasetCache cache;
  return build(config_of(model), cache);
}

Batch batch_of(const Experiment& experiment, int64_t size) {
  return experiment.task->training({.size = size, .batch = 3, .seed = 0, .step = 0});
}

class ImageModel : public testing::TestWithParam<const char*> {};

TEST_P(ImageModel, ReadsPicturesOfSeveralSizesWithAndWithoutClassToken) {
  const std::string encoding = std::string("encoding = \"") + GetParam() + "\"\n";
  for (const char* readout : {"mean", "max", "class"}) {
    const Experiment experiment = built(encoding + "readout = \"" + readout + "\"");
    for (const int64_t size : {20, 28}) {
      const at::Tensor outputs = experiment.model->forward(batch_of(experiment, size)).at(0);
      EXPECT_EQ(outputs.sizes(), at::IntArrayRef({3, 1, 10})) << readout << " " << size;
      EXPECT_TRUE(at::isfinite(outputs).all().item<bool>()) << readout << " " << size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Encodings, ImageModel,
                         testing::Values("none", "table past_range=interpolate", "t5", "alibi",
                                         "rope past_range=interpolate", "rope axes=mixed", "cpb",
                                         "cpe", "sinusoidal", "learned past_range=interpolate",
                                         "shaw", "irpe on=qkv mode=contextual"),
                         [](const auto& test) { return std::to_string(test.index); });

TEST(VisionTransformer, AClassTokenReachesRelationAndTables) {
  const std::string model = "encoding = \"table\"\nreadout = \"class\"";
  EXPECT_THAT(config_of(model).model.positions.at(0).relation.canonical(),
              HasSubstr("class_token=true"));
  const LearnedTerm term = built(model).model->learned_terms().at(0);
  EXPECT_EQ(term.values.sizes(), at::IntArrayRef({2, 9 * 9 + 3}));
  EXPECT_EQ(term.offsets.sizes(), at::IntArrayRef({84, 2}));
  EXPECT_EQ(term.special[83].item<int64_t>(), 2);
  EXPECT_EQ(term.special_ids.size(), 3U);
  EXPECT_THAT(config_of("encoding = \"table\"").model.positions.at(0).relation.canonical(),
              HasSubstr("class_token=false"));
}

TEST(VisionTransformer, AClassTokenAgainstTheRelationIsAnError) {
  EXPECT_THAT(error_of([] { built("encoding = \"table\"\nrelation = \"grid class_token=true\""); }),
              HasSubstr("samples without a class token, class_token=true found"));
  EXPECT_THAT(error_of([] {
                built(
                    "encoding = \"table\"\nrelation = \"grid class_token=false\"\n"
                    "readout = \"class\"");
              }),
              HasSubstr("samples with a class token, class_token=false found"));
}

TEST(VisionTransformer, LearnedSaysWhereItIsUndefined) {
  const Experiment experiment = built("encoding = \"learned\"");
  EXPECT_THAT(experiment.model->undefined_at(batch_of(experiment, 28).structures.front()).value(),
              HasSubstr("7x7 found, 5x5 trained"));
  EXPECT_FALSE(experiment.model->undefined_at(batch_of(experiment, 20).structures.front()));
}

TEST(VisionTransformer, SizesThatThePatchDoesNotDivideAreRefusedBeforeTheTraining) {
  RunConfig config = config_of("");
  config.evaluate.sizes = {20, 30};
  DatasetCache cache;
  EXPECT_THAT(error_of([&] { build(config, cache); }),
              HasSubstr("30 pixels a side found, a multiple of patch=4 expected"));
}

}  // namespace
}  // namespace relbias::experiments
