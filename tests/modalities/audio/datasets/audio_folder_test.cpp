// SPDX-License-Identifier: Apache-2.0
// tests: dataset `audio-folder`: classes, splits, folders without audio.
#include <gmock/gmock.h>

#include "tests/error_of.h"
#include "tests/modalities/audio/folders.h"

namespace relbias::modalities {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AudioFolder : public SoundFolder {};

TEST_F(AudioFolder, SomeOfEveryClassAreHeldOut) {
  write_class("dog", 12);
  write_class("cat", 3);
  const auto dataset = make("audio-folder");
  const AudioDataset& audio = as_audio(dataset);
  EXPECT_THAT(audio.categories(), ElementsAre("cat", "dog"));
  for (const Split split : {Split::validation, Split::test}) {
    std::array<int, 2> counts = {};
    for (const Clip& clip : audio.clips(split)) ++counts[static_cast<size_t>(clip.category)];
    EXPECT_EQ(counts[0], 1);  // three clips, three splits
    EXPECT_GE(counts[1], 1);
    EXPECT_LE(counts[1], 5);
  }
  for (const Clip& clip : audio.clips(Split::train)) {
    EXPECT_EQ(clip.category, clip.name.starts_with("dog/") ? 1 : 0) << clip.name;
  }
  EXPECT_EQ(names_of(as_audio(make("audio-folder")).clips(Split::test)),
            names_of(audio.clips(Split::test)));
}

TEST_F(AudioFolder, SplitFoldersAreKept) {
  for (const std::string name : {"train/b/1", "train/a/deep/2", "valid/a/3", "test/b/4"}) {
    write_tone(name + ".wav");
  }
  const auto dataset = make("audio-folder");
  const AudioDataset& audio = as_audio(dataset);
  EXPECT_THAT(audio.categories(), ElementsAre("a", "b"));
  EXPECT_THAT(names_of(audio.clips(Split::train)),
              ElementsAre("train/a/deep/2.wav", "train/b/1.wav"));
  EXPECT_THAT(names_of(audio.clips(Split::validation)), ElementsAre("valid/a/3.wav"));
  EXPECT_EQ(audio.clips(Split::test).front().category, 1);
  EXPECT_THAT(dataset->report(), HasSubstr("split by its folders"));
  write_tone("more/a/5.wav");
  EXPECT_THAT(error_of([&] { make("audio-folder"); }),
              HasSubstr("4 of 5 files lie in SPLIT/CLASS/, more/a/5.wav does not"));
}

TEST_F(AudioFolder, WithoutAudioIsAnError) {
  EXPECT_THAT(error_of([&] { make("audio-folder"); }),
              HasSubstr("holds no CLASS/FILE that ends in one of: wav,flac"));
  folder_.write("a/readme.txt", "nothing here");
  write_tone("loose.wav");
  EXPECT_THAT(error_of([&] { make("audio-folder"); }), HasSubstr(path()));
  const auto& entry = find_entry("dataset", "audio-folder", dataset_entries());
  EXPECT_THAT(
      error_of([&] { entry.make(parse_options("dataset", "audio-folder", entry.options)); }),
      HasSubstr("path= is missing"));
  EXPECT_THAT(
      error_of([&] {
        entry.make(parse_options("dataset", "audio-folder path=/nonexistent", entry.options));
      }),
      HasSubstr("/nonexistent does not exist"));
}

}  // namespace
}  // namespace relbias::modalities
