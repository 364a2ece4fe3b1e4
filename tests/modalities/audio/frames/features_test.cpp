// SPDX-License-Identifier: Apache-2.0
// tests: features of good and bad files, counted, kept on disk and never stale.
#include "modalities/audio/frames/features.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <limits>

#include "modalities/audio/frames/feature_store.h"
#include "tests/error_of.h"
#include "tests/modalities/audio/cache_folder.h"
#include "tests/modalities/audio/wav.h"

namespace relbias::modalities {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class FeaturesTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const Wav& wav) { folder_.write(name, wav.bytes()); }
  Features read(const FeatureOptions& options = {.mel = {.rate = 8000, .high = 3800}}) {
    return read_features(folder_.path(), files_below(folder_.path(), {"wav"}), options);
  }
  fs::path kept() const { return fs::directory_iterator(cache_.features())->path(); }
  size_t number_kept() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(cache_.features()), {}));
  }

  CacheFolder cache_;
  ScratchFolder folder_;
};

// Everything that users bring, in one folder: each file named, each policy as stated.
TEST_F(FeaturesTest, BadFilesAreLeftOutAndCounted) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  write("good.wav", {.samples = tone(0.5)});
  folder_.write("text.wav", "a letter\n");
  write("empty.wav", {.samples = {}});
  write("nan.wav", {.samples = {0.1, nan}, .bits = 32, .format = 3});
  write("infinite.wav", {.samples = {0.1, 1 / 0.0}, .bits = 32, .format = 3});
  write("loud.wav", {.samples = std::vector<double>(4000, 1e30), .bits = 32, .format = 3});
  write("slow.wav", {.samples = tone(0.5, 450), .rate = 1});
  write("short.wav", {.samples = tone(0.02)});
  write("copy.wav", {.samples = tone(0.5)});  // stands before good.wav
  Wav cut{.samples = tone(0.4)};
  cut.data_bytes = 20000;
  write("cut.wav", cut);
  cut.samples = tone(0.3);
  cut.data_bytes = 0xFFFFFFFF;
  write("stream.wav", cut);
  write("three.wav", {.samples = tone(0.9), .channels = 3});
  write("low.wav", {.samples = tone(0.5, 440, 4000), .rate = 4000});
  write("high.wav", {.samples = tone(0.5, 440, 96000), .rate = 96000});
  write("wide.wav", {.samples = tone(0.6), .bits = 24});
  write("scaled.wav", {.samples = tone(0.8), .bits = 32, .format = 3});  // integers as floats
  write("silence.wav", {.samples = std::vector<double>(5600, 0)});

  const Features features = read();
  EXPECT_EQ(text_of(features.left_out),
            "2 NaN or infinite samples (first infinite.wav), 1 copy of another (first good.wav), "
            "1 no samples (first empty.wav), 1 not a sound file (first text.wav), "
            "1 of 1 Hz, too far from 8000 (first slow.wav), 1 samples too large (first loud.wav), "
            "1 shorter than a window (first short.wav)");
  EXPECT_EQ(text_of(features.used_although),
            "1 length unknown (first stream.wav), 1 louder than full scale (first scaled.wav), "
            "1 mixed to mono (first three.wav), 1 resampled to a higher rate (first low.wav), "
            "1 resampled to a lower rate (first high.wav), 1 silent (first silence.wav), "
            "1 truncated (first cut.wav)");
  // copy cut empty good high infinite loud low nan scaled short silence slow stream text three wide
  EXPECT_EQ(features.counts,
            (std::vector<int64_t>{48, 38, 0, 0, 48, 0, 0, 48, 0, 78, 0, 68, 0, 28, 0, 28, 58}));
  EXPECT_TRUE(at::isfinite(features.frames).all().item<bool>());
  EXPECT_EQ(features.frames.size(0), 48 * 3 + 38 + 78 + 68 + 28 + 28 + 58);
}

TEST_F(FeaturesTest, ShortClipsAreCountedByTheLimitAskedFor) {
  write("a.wav", {.samples = tone(0.2)});
  write("b.wav", {.samples = tone(0.4)});
  const Features features = read({.mel = {.rate = 8000, .high = 3800}, .shortest = 0.3});
  EXPECT_EQ(text_of(features.left_out), "1 shorter than 0.3 s (first a.wav)");
}

TEST_F(FeaturesTest, AreKeptAndReadBack) {
  write("a.wav", {.samples = tone(0.5)});
  write("b.wav", {.samples = tone(0.7), .channels = 2});
  folder_.write("c.wav", "a letter\n");
  const Features first = read();
  EXPECT_FALSE(first.from_cache);
  EXPECT_EQ(number_kept(), 1U);
  const Features second = read();
  EXPECT_TRUE(second.from_cache);
  EXPECT_TRUE(at::equal(first.frames, second.frames));
  EXPECT_EQ(first.counts, second.counts);
  EXPECT_EQ(text_of(first.left_out), text_of(second.left_out));
  EXPECT_EQ(text_of(first.used_although), text_of(second.used_although));
  EXPECT_EQ(first.content_hash, second.content_hash);
}

TEST_F(FeaturesTest, OtherContentNamesOrOptionsAreComputedAnew) {
  write("a.wav", {.samples = tone(0.5)});
  const Features first = read();
  EXPECT_FALSE(read({.mel = {.rate = 8000, .mels = 20, .high = 3800}}).from_cache);
  EXPECT_FALSE(read({.mel = {.rate = 8000, .high = 3800}, .shortest = 0.1}).from_cache);
  write("a.wav", {.samples = tone(0.5, 441)});
  const Features other = read();
  EXPECT_FALSE(other.from_cache);
  EXPECT_NE(other.content_hash, first.content_hash);
  fs::rename(folder_.path() / "a.wav", folder_.path() / "b.wav");
  EXPECT_FALSE(read().from_cache);
  EXPECT_EQ(number_kept(), 5U);
}

TEST_F(FeaturesTest, ADamagedFileIsComputedAnew) {
  write("a.wav", {.samples = tone(0.5)});
  const Features first = read();
  const auto size = fs::file_size(kept());
  for (const uintmax_t left : {size - 1, size / 2, uintmax_t{3}, uintmax_t{0}}) {
    fs::resize_file(kept(), left);
    const Features again = read();
    EXPECT_FALSE(again.from_cache) << left;
    EXPECT_TRUE(at::equal(first.frames, again.frames));
    EXPECT_TRUE(read().from_cache) << left;
  }
  std::fstream file(kept(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(size) - 12);
  file << "####";  // the end of the description
  file.close();
  EXPECT_FALSE(read().from_cache);
}

// In sum there are as many frames as the file holds.
TEST_F(FeaturesTest, AFileWithNegativeCountsIsComputedAnew) {
  const fs::path path = folder_.path() / "features";
  Features features;
  features.frames = at::zeros({5, 2});
  for (const std::vector<int64_t>& counts :
       {std::vector<int64_t>{5}, std::vector<int64_t>{5, 0}, std::vector<int64_t>{-5, 10}}) {
    features.counts = counts;
    ASSERT_EQ(store_features(path, features), "");
    EXPECT_EQ(load_features(path, 2).has_value(), counts.front() == 5) << counts.front();
  }
  write("a.wav", {.samples = tone(0.5)});
  write("b.wav", {.samples = tone(0.7)});
  const Features first = read();
  Features wrong = first;
  wrong.counts = {-5, first.frames.size(0) + 5};
  ASSERT_EQ(store_features(kept(), wrong), "");
  const Features again = read();
  EXPECT_FALSE(again.from_cache);
  EXPECT_EQ(again.counts, first.counts);
}

TEST_F(FeaturesTest, WithoutAPlaceToKeepThemTheyAreStillComputed) {
  write("a.wav", {.samples = tone(0.5)});
  fs::create_directories(cache_.features().parent_path());
  std::ofstream(cache_.features()) << "a file where a folder should be";
  EXPECT_EQ(read().counts, (std::vector<int64_t>{48}));
  EXPECT_FALSE(read().from_cache);
}

}  // namespace
}  // namespace relbias::modalities
