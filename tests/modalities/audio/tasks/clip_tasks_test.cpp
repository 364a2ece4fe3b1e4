// SPDX-License-Identifier: Apache-2.0
// tests: tasks of one clip: `clip-classification` and `reversed`.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <set>

#include "modalities/audio/clip_task.h"
#include "tests/error_of.h"
#include "tests/modalities/audio/folders.h"

namespace relbias::modalities {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ClipTasks : public SoundFolder {
 protected:
  void SetUp() override {
    for (const std::string name : {"a", "b"}) write_class(name, 11);
    dataset_ = make("audio-folder", "normalise=none");
  }
  std::unique_ptr<Task> task(const std::string& name, const std::string& options = "") {
    const auto& entry = find_entry("task", name, task_entries());
    return entry.make(parse_options("task", name + " " + options, entry.options), dataset_.get());
  }
  std::unique_ptr<Dataset> dataset_;
};

TEST_F(ClipTasks, EveryHeldOutClipIsClassifiedOnce) {
  const auto& clips = as_audio(dataset_).clips(Split::test);
  ASSERT_GE(clips.size(), 2U);
  std::multiset<int64_t> targets, lengths, categories;
  const auto classification = task("clip-classification", "frames=1");
  classification->evaluation({.size = 400, .samples = 100, .batch = 3}, [&](const Batch& batch) {
    for (int64_t b = 0; b < batch.inputs.size(0); ++b) {
      targets.insert(batch.answers.at(0).targets[b].item<int64_t>());
      lengths.insert(batch.valid.defined() ? batch.valid[b].sum().item<int64_t>()
                                           : batch.inputs.size(1));
    }
  });
  std::multiset<int64_t> expected;
  for (const Clip& clip : clips) {
    expected.insert(clip.frames);
    categories.insert(clip.category);
  }
  EXPECT_EQ(lengths, expected);
  EXPECT_EQ(targets, categories);
  EXPECT_EQ(classification->traits().chance, 0.5);
}

TEST_F(ClipTasks, EveryCategoryIsTrained) {
  for (const std::string name : {"a", "b"}) std::filesystem::remove_all(folder_.path() / name);
  for (const std::string name : {"train/a", "train/b", "validation/c", "test/c"}) {
    write_class(name, 1);
  }
  dataset_ = make("audio-folder");
  for (const std::string name : {"clip-classification", "which-first", "frame-classification"}) {
    EXPECT_THAT(error_of([&] { task(name); }),
                AllOf(HasSubstr(name + ": audio-folder " + path()),
                      HasSubstr("class c has no sample in training and 2 held out")));
  }
  for (const std::string name : {"train", "validation", "test"}) {
    std::filesystem::remove_all(folder_.path() / name);
  }
  write_class("a", 11);
  dataset_ = make("audio-folder");
  EXPECT_THAT(error_of([&] { task("clip-classification"); }),
              HasSubstr("one class only (a) in training"));
  EXPECT_EQ(error_of([&] { task("reversed"); }), "no error");
}

TEST_F(ClipTasks, SizesAreBins) {
  const auto classification = task("clip-classification", "frames=1");
  int64_t found = 0;
  classification->evaluation(
      {.size = 130, .samples = 100, .batch = 100, .above = 60}, [&](const Batch& batch) {
        const Tensor length = batch.valid.defined()
                                  ? batch.valid.sum(1)
                                  : at::full({batch.inputs.size(0)}, batch.inputs.size(1));
        found += batch.inputs.size(0);
        EXPECT_GT(length.min().item<int64_t>(), 60);
        EXPECT_LE(length.max().item<int64_t>(), 130);
      });
  int64_t expected = 0;
  for (const Clip& clip : as_audio(dataset_).clips(Split::test)) {
    expected += clip.frames > 60 && clip.frames <= 130 ? 1 : 0;
  }
  EXPECT_EQ(found, expected);
  EXPECT_GT(expected, 0);
}

TEST_F(ClipTasks, ReversedStretchesAreStretchesOfAClip) {
  const AudioDataset& audio = as_audio(dataset_);
  const Batch batch = task("reversed")->training({.size = 40, .batch = 40, .seed = 0, .step = 0});
  EXPECT_EQ(batch.inputs.sizes(), at::IntArrayRef({40, 40, 40}));
  EXPECT_FALSE(batch.valid.defined());
  for (int64_t b = 0; b < 40; ++b) {
    const bool backwards = batch.answers.at(0).targets[b].item<int64_t>() == 1;
    const Tensor frames = backwards ? batch.inputs[b].flip(0) : batch.inputs[b];
    bool found = false;
    for (const Clip& clip : audio.clips(Split::train)) {
      for (int64_t start = 0; !found && start + 40 <= clip.frames; ++start) {
        found = at::equal(audio.frames(clip).narrow(0, start, 40), frames);
      }
    }
    EXPECT_TRUE(found) << b;
  }
  EXPECT_NEAR(batch.answers[0].targets.sum().item<double>(), 20, 13);
}

TEST_F(ClipTasks, ReversedNeedsLongEnoughClips) {
  EXPECT_THAT(error_of([&] { task("reversed")->check({500}, {}); }),
              HasSubstr("reversed: no train clip for size 500"));
  EXPECT_THAT(error_of([&] { task("reversed")->check({1}, {}); }),
              HasSubstr("reversed: size 1 found, at least 2 frames expected"));
  EXPECT_EQ(task("reversed")->tokens(64), 64);
  EXPECT_EQ(task("reversed", "frames=4")->tokens(64), 16);
}

TEST_F(ClipTasks, ValidationIsAnotherSplit) {
  const auto first = [&](Split split) {
    Tensor inputs;
    task("clip-classification")
        ->evaluation({.size = 400, .samples = 1, .batch = 1, .split = split},
                     [&](const Batch& batch) { inputs = batch.inputs; });
    return inputs;
  };
  EXPECT_FALSE(at::equal(first(Split::test), first(Split::validation)));
  EXPECT_FALSE(at::equal(first(Split::train), first(Split::validation)));
}

}  // namespace
}  // namespace relbias::modalities
