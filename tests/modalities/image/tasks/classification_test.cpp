// SPDX-License-Identifier: Apache-2.0
// tests: tasks `classification` and `pixels`: tokens, structure, and what they say of themselves.
#include <gmock/gmock.h>

#include "tests/error_of.h"
#include "tests/modalities/image/pictures.h"

namespace relbias::modalities {
namespace {

using testing::HasSubstr;

std::unique_ptr<Task> make(const std::string& text, const Dataset& images) {
  const auto& entry = find_entry("task", option_name(text), task_entries());
  return entry.make(parse_options("task", text, entry.options), &images);
}

Batch first_batch(const Task& task, int64_t size) {
  return task.training({.size = size, .batch = 2, .seed = 0, .step = 0});
}

TEST(Classification, TokensAreNormalisedPatches) {
  const ImageDataset images = numbered_pictures(10);
  const auto task = make("classification patch=2 shift=0", images);
  const Batch batch = first_batch(*task, 4);
  EXPECT_EQ(batch.inputs.sizes(), at::IntArrayRef({2, 4, 4}));
  EXPECT_EQ(task->traits().features, 4);
  EXPECT_EQ(task->tokens(4), 4);
  EXPECT_EQ(batch.structures.front().sides, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(batch.structures.front().keys, 4);
  // All pictures of the split: mean 0, deviation 1.
  const Batch all = task->training({.size = 4, .batch = 10, .seed = 0, .step = 0});
  EXPECT_NEAR(all.inputs.mean().item<double>(), 0, 1e-5);
  EXPECT_NEAR(all.inputs.var(at::OptionalIntArrayRef(), false).item<double>(), 1, 1e-4);
}

TEST(Classification, AsksForTheClassOfTheWholePicture) {
  const ImageDataset images = numbered_pictures(10);
  const auto task = make("classification patch=4", images);
  const TaskTraits traits = task->traits();
  ASSERT_EQ(traits.questions.size(), 1U);
  EXPECT_EQ(traits.questions[0].about, Question::About::sample);
  EXPECT_EQ(traits.questions[0].kind, Question::Kind::category);
  EXPECT_EQ(traits.questions[0].outputs, 2);
  EXPECT_EQ(traits.chance, 0.5);
  const Batch batch = first_batch(*task, 4);
  EXPECT_EQ(batch.answers[0].targets.sizes(), at::IntArrayRef({2, 1}));
  EXPECT_TRUE(batch.answers[0].scored.all().item<bool>());
}

TEST(Classification, LargerPicturesHaveMorePatchesOfTheSameSize) {
  const ImageDataset images = numbered_pictures(10);
  const auto task = make("classification patch=2", images);
  for (const int64_t size : {4, 6, 12}) {
    EXPECT_EQ(first_batch(*task, size).inputs.size(1), task->tokens(size)) << size;
    EXPECT_EQ(first_batch(*task, size).inputs.size(2), 4) << size;
  }
}

TEST(Classification, SizesAndDatasetsThatDoNotFitAreErrors) {
  const ImageDataset images = numbered_pictures(10);
  const auto task = make("classification patch=4", images);
  EXPECT_THAT(
      error_of([&] {
        task->check({4, 30}, {});
      }),
      HasSubstr("classification: pictures of 30 pixels a side found, a multiple of patch=4"));
  EXPECT_THAT(
      error_of([&] { task->check({}, {{.size = 2, .samples = 1, .tokens = 1, .batch = 1}}); }),
      HasSubstr("2 pixels a side found"));
  struct Other : Dataset {
    std::string content_hash() const override { return ""; }
    std::string report() const override { return ""; }
  };
  EXPECT_THAT(error_of([] { make("classification", Other()); }),
              HasSubstr("task classification needs a dataset of pictures"));
  EXPECT_THAT(error_of([&] { make("classification patch=0", images); }), HasSubstr("1 to 512"));
}

TEST(Pixels, TokensAreGreysFrom0To255) {
  const ImageDataset images = numbered_pictures(10);
  const auto task = make("pixels", images);
  const Batch batch = task->training({.size = 4, .batch = 10, .seed = 0, .step = 0});
  EXPECT_EQ(batch.inputs.sizes(), at::IntArrayRef({10, 16}));
  EXPECT_EQ(task->traits().vocabulary, 256);
  EXPECT_EQ(task->tokens(4), 16);
  EXPECT_TRUE(at::equal(std::get<0>(batch.inputs.select(1, 0).sort()), at::arange(10)));
  EXPECT_TRUE(at::equal(batch.answers[0].targets.squeeze(1), batch.inputs.select(1, 5) % 2));
}

}  // namespace
}  // namespace relbias::modalities
