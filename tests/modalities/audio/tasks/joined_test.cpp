// SPDX-License-Identifier: Apache-2.0
// tests: tasks of several clips: labels, balance, junctions, reversal, padding.
#include "modalities/audio/joined.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <set>

#include "tests/error_of.h"
#include "tests/modalities/audio/folders.h"

namespace relbias::modalities {
namespace {

using ::testing::HasSubstr;

/// Classes a, b, c of clips of 0.5 to 1.1 s: 48 to 108 frames.
class JoinedClips : public SoundFolder {
 protected:
  void SetUp() override {
    for (const std::string name : {"a", "b", "c"}) write_class(name, 7);
    dataset_ = make("audio-folder", "normalise=none");
  }
  std::unique_ptr<Task> task(const std::string& name, const std::string& options = "") {
    const auto& entry = find_entry("task", name, task_entries());
    return entry.make(parse_options("task", name + " " + options, entry.options), dataset_.get());
  }
  Batch draw(const std::string& name, const std::string& options = "", int64_t batch = 16) {
    return task(name, options)->training({.size = 200, .batch = batch, .seed = 0, .step = 0});
  }
  // The clip whose tokens of `frames` frames begin at token `at` of sample b; its tokens.
  std::pair<const Clip*, int64_t> clip_at(const Batch& batch, int64_t b, int64_t at,
                                          int64_t frames = 4) {
    const AudioDataset& audio = as_audio(dataset_);
    for (const Split split : all_splits) {
      for (const Clip& clip : audio.clips(split)) {
        const Tensor tokens = Patches{.frames = frames}.cut(audio.frames(clip));
        const int64_t count = tokens.size(0);
        if (at + count > batch.inputs.size(1)) continue;
        if (at::equal(batch.inputs[b].narrow(0, at, count), tokens)) return {&clip, count};
      }
    }
    return {nullptr, 0};
  }
  std::unique_ptr<Dataset> dataset_;
};

int64_t length_of(const Batch& batch, int64_t b) {
  return batch.valid.defined() ? batch.valid[b].sum().item<int64_t>() : batch.inputs.size(1);
}

TEST_F(JoinedClips, TheFirstClipIsTheAnswerAndNoTokenCrossesAJunction) {
  const Batch batch = draw("which-first");
  EXPECT_EQ(batch.answers.at(0).targets.sizes(), at::IntArrayRef({16, 1}));
  for (int64_t b = 0; b < 16; ++b) {
    const auto [first, tokens] = clip_at(batch, b, 0);
    ASSERT_NE(first, nullptr);
    const auto [second, others] = clip_at(batch, b, tokens);
    ASSERT_NE(second, nullptr) << "tokens of the second clip are not its own";
    EXPECT_EQ(tokens + others, length_of(batch, b));
    EXPECT_NE(first->category, second->category);
    EXPECT_EQ(batch.answers[0].targets[b].item<int64_t>(), first->category);
  }
}

TEST_F(JoinedClips, EveryTokenBelongsToItsClip) {
  const Batch batch = draw("frame-classification", "segments=3");
  ASSERT_EQ(batch.answers.at(0).targets.sizes(), batch.inputs.sizes().slice(0, 2));
  for (int64_t b = 0; b < 16; ++b) {
    int64_t at = 0;
    while (at < length_of(batch, b)) {
      const auto [clip, tokens] = clip_at(batch, b, at);
      ASSERT_NE(clip, nullptr);
      const Tensor targets = batch.answers[0].targets[b].narrow(0, at, tokens);
      EXPECT_TRUE((targets == clip->category).all().item<bool>());
      at += tokens;
    }
    EXPECT_EQ(batch.answers[0].scored[b].sum().item<int64_t>(), at);
  }
}

TEST_F(JoinedClips, PaddingStandsBehindAndIsZero) {
  const Batch batch = draw("which-first");
  ASSERT_TRUE(batch.valid.defined());
  EXPECT_EQ(
      batch.inputs.masked_select(batch.valid.logical_not().unsqueeze(2)).abs().sum().item<float>(),
      0);
  for (int64_t b = 0; b < 16; ++b) {
    const int64_t length = length_of(batch, b);
    EXPECT_TRUE(batch.valid[b].narrow(0, 0, length).all().item<bool>());
  }
  EXPECT_EQ(batch.valid.any(0).all().item<bool>(), true) << "longer than the longest sample";
  EXPECT_DOUBLE_EQ(batch.structures.at(0).hop_seconds, 0.04);
}

// Whoever knows the set of clips and not their order cannot do better than 1 of D: all orders of
// the categories are equally likely.
TEST_F(JoinedClips, OrderIsIndependentOfWhatIsHeard) {
  std::map<std::set<int64_t>, std::map<int64_t, int>> firsts;
  const Batch batch = draw("which-first", "", 600);
  for (int64_t b = 0; b < 600; ++b) {
    const auto [first, tokens] = clip_at(batch, b, 0);
    const auto [second, others] = clip_at(batch, b, tokens);
    ++firsts[{first->category, second->category}][first->category];
  }
  EXPECT_EQ(firsts.size(), 3U);
  for (const auto& [pair, counts] : firsts) {
    for (const auto& [category, count] : counts) {
      EXPECT_NEAR(count, 100, 40);  // 4 standard deviations
    }
  }
}

TEST_F(JoinedClips, ManySegmentsShareTheCategoriesEvenly) {
  EXPECT_DOUBLE_EQ(task("which-first")->traits().chance, 0.5);
  EXPECT_DOUBLE_EQ(task("which-first", "segments=3")->traits().chance, 1.0 / 3);
  EXPECT_DOUBLE_EQ(task("which-first", "segments=4")->traits().chance, 0.5);
  EXPECT_DOUBLE_EQ(task("which-first", "segments=6")->traits().chance, 1.0 / 3);
  EXPECT_THAT(error_of([&] { task("which-first", "segments=5"); }),
              HasSubstr("segments=5 of 3 categories found"));
  EXPECT_EQ(task("which-first", "segments=6")->tokens(200), 300);
  const Batch batch = draw("which-first", "segments=6", 4);
  for (int64_t b = 0; b < 4; ++b) {
    std::array<int, 3> counts = {};
    for (int64_t at = 0; at < length_of(batch, b);) {
      const auto [clip, tokens] = clip_at(batch, b, at);
      ASSERT_NE(clip, nullptr);
      ++counts[static_cast<size_t>(clip->category)];
      at += tokens;
    }
    EXPECT_EQ(counts, (std::array<int, 3>{2, 2, 2}));
  }
}

TEST_F(JoinedClips, StrictlyHalfOfTheClipsRunBackwards) {
  const Batch batch = draw("which-first", "strict=true", 100);
  int forwards = 0;
  for (int64_t b = 0; b < 100; ++b) forwards += clip_at(batch, b, 0).first != nullptr ? 1 : 0;
  EXPECT_NEAR(forwards, 50, 20);
}

TEST_F(JoinedClips, SizesAreBinsOfClips) {
  const auto which_first = task("which-first");
  EXPECT_TRUE(which_first->traits().binned);
  EXPECT_THAT(error_of([&] { which_first->check({40}, {}); }),
              HasSubstr("no train clip for size 40"));
  EXPECT_THAT(error_of([&] {
                which_first->check({200}, {{.size = 800, .samples = 4, .batch = 4, .above = 200}});
              }),
              HasSubstr("no test clip for size 800"));
  EXPECT_THAT(error_of([&] { which_first->check({2}, {}); }), HasSubstr("at least 4 frames"));
}

TEST_F(JoinedClips, AnotherHopGivesFewerTokens) {
  const auto task_at = [&](const std::string& options) {
    return draw("which-first", options).structures.at(0);
  };
  EXPECT_DOUBLE_EQ(task_at("every=2").hop_seconds, 0.08);
  EXPECT_NEAR(static_cast<double>(task_at("every=2").keys),
              static_cast<double>(task_at("every=1").keys) / 2, 3);
}

TEST_F(JoinedClips, PatchesMakeAGrid) {
  const Batch batch = draw("which-first", "frames=8 bands=8 overlap=2");
  const Structure& structure = batch.structures.at(0);
  ASSERT_EQ(structure.sides.size(), 2U);
  EXPECT_EQ(structure.sides[1], (40 - 8) / 6 + 1);
  EXPECT_EQ(structure.sides[0] * structure.sides[1], batch.inputs.size(1));
  EXPECT_EQ(batch.inputs.size(2), 64);
}

TEST(JoinedTasks, NeedAudio) {
  const auto& entry = find_entry("task", "which-first", task_entries());
  EXPECT_THAT(
      error_of([&] { entry.make(parse_options("task", "which-first", entry.options), nullptr); }),
      HasSubstr("task which-first needs a dataset of audio"));
}

}  // namespace
}  // namespace relbias::modalities
