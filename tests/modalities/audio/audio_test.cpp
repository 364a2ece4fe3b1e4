// SPDX-License-Identifier: Apache-2.0
// tests: datasets of clips: normalisation, splits, reports.
#include "modalities/audio/audio.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "tests/error_of.h"
#include "tests/modalities/audio/folders.h"

namespace relbias::modalities {
namespace {

using ::testing::HasSubstr;

class AudioTest : public SoundFolder {};

Tensor all_frames(const AudioDataset& audio, Split split) {
  std::vector<Tensor> frames;
  for (const Clip& clip : audio.clips(split)) frames.push_back(audio.frames(clip));
  return at::cat(frames, 0);
}

TEST_F(AudioTest, NormalisationIsThatOfTheTrainingFrames) {
  write_class("a", 10);
  const auto dataset = make("audio-folder");
  const Tensor trained = all_frames(as_audio(dataset), Split::train);
  EXPECT_LT(trained.mean(0).abs().max().item<float>(), 1e-3);
  EXPECT_LT((trained.std(0, false) - 1).abs().max().item<float>(), 1e-3);
  const Tensor tested = all_frames(as_audio(dataset), Split::test);
  EXPECT_GT(tested.mean(0).abs().max().item<float>(), 1e-2);
}

TEST_F(AudioTest, NormalisationOfEveryClipOrNone) {
  write_class("a", 4);
  folder_.write("a/silence.wav", Wav{.samples = std::vector<double>(4000, 0)}.bytes());
  const auto dataset = make("audio-folder", "normalise=clip floor=1e-10");
  int silent = 0;
  for (const Split split : all_splits) {
    for (const Clip& clip : as_audio(dataset).clips(split)) {
      const Tensor frames = as_audio(dataset).frames(clip);
      EXPECT_LT(frames.mean(0).abs().max().item<float>(), 1e-2) << clip.name;
      silent += frames.abs().max().item<float>() == 0 ? 1 : 0;
    }
  }
  EXPECT_EQ(silent, 1);  // zeros, where others had NaN
  const auto plain = make("audio-folder", "normalise=none floor=1e-10");
  for (const Split split : all_splits) {
    for (const Clip& clip : as_audio(plain).clips(split)) {
      if (clip.name != "a/silence.wav") continue;
      EXPECT_NEAR(as_audio(plain).frames(clip).max().item<float>(), -23.0258509, 1e-4);
    }
  }
}

TEST_F(AudioTest, AClipKeepsItsOwnFrames) {
  write_class("a", 5);
  const auto dataset = make("audio-folder", "normalise=none");
  const AudioDataset& audio = as_audio(dataset);
  for (const Split split : all_splits) {
    for (const Clip& clip : audio.clips(split)) {
      const Features alone = read_features(folder_.path(), {clip.name},
                                           {.mel = {.rate = 8000, .high = 3800, .floor = 1e-6}});
      EXPECT_EQ(alone.frames.size(0), clip.frames);
      EXPECT_TRUE(at::equal(alone.frames, audio.frames(clip))) << clip.name;
    }
  }
}

TEST_F(AudioTest, ReportsWhatWasLeftOut) {
  write_class("a", 12);
  folder_.write("a/letter.wav", "a letter\n");
  EXPECT_THAT(
      make("audio-folder")->report(),
      HasSubstr("1 classes, divided by content: 12 of 13 clips; left out: 1 not a sound file "
                "(first a/letter.wav); train "));
}

TEST_F(AudioTest, ASplitWithoutClipsIsAnError) {
  write_tone("a/1.wav");
  EXPECT_THAT(error_of([&] { make("audio-folder"); }), HasSubstr("no clip is left for validation"));
  folder_.write("a/1.wav", "no sound");
  EXPECT_THAT(error_of([&] { make("audio-folder"); }), HasSubstr("0 of 1 clips"));
}

TEST_F(AudioTest, TheHashIsThatOfTheFiles) {
  write_class("a", 4);
  const std::string first = make("audio-folder")->content_hash();
  EXPECT_EQ(make("audio-folder", "mels=20")->content_hash(), first);
  write_tone("a/3.wav", 0.9);
  EXPECT_NE(make("audio-folder")->content_hash(), first);
}

TEST(AudioOf, OtherDatasetsAreRefused) {
  EXPECT_THAT(error_of([] { audio_of(nullptr, "reversed"); }),
              HasSubstr("task reversed needs a dataset of audio"));
}

}  // namespace
}  // namespace relbias::modalities
