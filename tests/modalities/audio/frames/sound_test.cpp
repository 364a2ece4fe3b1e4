// SPDX-License-Identifier: Apache-2.0
// tests: sound files as they are, not as their headers say.
#include "modalities/audio/frames/sound.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <sndfile.h>

#include <limits>

#include "modalities/plain/files.h"
#include "tests/error_of.h"
#include "tests/modalities/audio/wav.h"
#include "tests/scratch_folder.h"

namespace relbias::modalities {
namespace {

using ::testing::HasSubstr;

class SoundTest : public ::testing::Test {
 protected:
  Sound read(const std::string& bytes, const std::string& name = "a.wav") {
    return read_sound(folder_.write(name, bytes));
  }
  // Written by libsndfile, from samples in -1..1.
  Sound written(int format, const std::vector<float>& samples, const std::string& name) {
    SF_INFO info = {};
    info.samplerate = 16000;
    info.channels = 1;
    info.format = format;
    const std::string path = (folder_.path() / name).string();
    SNDFILE* file = sf_open(path.c_str(), SFM_WRITE, &info);
    EXPECT_NE(file, nullptr) << sf_strerror(nullptr);
    sf_write_float(file, samples.data(), static_cast<sf_count_t>(samples.size()));
    sf_close(file);
    return read_sound(path);
  }
  ScratchFolder folder_;
};

std::vector<double> values(const Tensor& samples) {
  const Tensor real = samples.to(at::kDouble);
  return {real.data_ptr<double>(), real.data_ptr<double>() + real.numel()};
}

// Along the channels; elsewhere stereo was averaged along time.
TEST_F(SoundTest, StereoIsAveragedFrameByFrame) {
  const Sound sound =
      read(Wav{.samples = {0.5, -0.5, 0.25, 0.25}, .channels = 2, .bits = 32, .format = 3}.bytes());
  EXPECT_EQ(values(sound.samples), (std::vector<double>{0, 0.25}));
  EXPECT_EQ(sound.channels, 2);
  const Sound three = read(Wav{.samples = {3, 6, 9, 0, 0, 3}, .channels = 3}.bytes());
  EXPECT_EQ(values(three.samples), (std::vector<double>{6 / 32768.0, 1 / 32768.0}));
}

// Seen elsewhere: integers divided by the wrong scale
TEST_F(SoundTest, IntegersAreScaledByTheirOwnWidth) {
  const Sound wide = read(Wav{.samples = {-8388608, 1, 8388607}, .bits = 24}.bytes());
  ASSERT_EQ(wide.samples.size(0), 3);
  EXPECT_EQ(values(wide.samples)[0], -1);
  EXPECT_NEAR(values(wide.samples)[1], 1.1920929e-7, 1e-14);
  EXPECT_NEAR(values(wide.samples)[2], 0.99999988, 1e-8);
  const Sound narrow = read(Wav{.samples = {32767, -32768}}.bytes());
  EXPECT_NEAR(values(narrow.samples)[0], 0.99996948, 1e-8);
  EXPECT_EQ(values(narrow.samples)[1], -1);
}

// Seen elsewhere: buffers as long as a header claims
TEST_F(SoundTest, AHeaderThatPromisesMoreIsTruncated) {
  Wav wav{.samples = std::vector<double>(400, 7.0)};
  wav.data_bytes = 2000;
  const Sound sound = read(wav.bytes());
  EXPECT_EQ(sound.fault, "");
  EXPECT_EQ(sound.samples.size(0), 400);
  EXPECT_TRUE(sound.truncated);
  EXPECT_FALSE(sound.length_unknown);
  wav.data_bytes = 0xFFFFFFFF;
  const Sound stream = read(wav.bytes());
  EXPECT_EQ(stream.samples.size(0), 400);
  EXPECT_FALSE(stream.truncated);
  EXPECT_TRUE(stream.length_unknown);
  wav.data_bytes = -1;
  const Sound honest = read(wav.bytes());
  EXPECT_FALSE(honest.truncated);
  EXPECT_FALSE(honest.length_unknown);
}

// Seen elsewhere: buffers as long as a header claims
TEST_F(SoundTest, AiffAndAuThatAreCutAreTruncated) {
  const std::vector<float> samples(1000, 0.25F);
  for (const int format : {SF_FORMAT_AIFF | SF_FORMAT_PCM_16, SF_FORMAT_AIFF | SF_FORMAT_PCM_24,
                           SF_FORMAT_AU | SF_FORMAT_PCM_16, SF_FORMAT_AU | SF_FORMAT_ULAW,
                           SF_FORMAT_AU | SF_FORMAT_FLOAT | SF_ENDIAN_LITTLE}) {
    const Sound whole = written(format, samples, "whole");
    EXPECT_EQ(whole.samples.size(0), 1000) << format;
    EXPECT_FALSE(whole.truncated) << format;
    const auto path = folder_.path() / "whole";
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    const Sound cut = read_sound(path);
    EXPECT_EQ(cut.fault, "") << format;
    EXPECT_LT(cut.samples.size(0), 600) << format;
    EXPECT_TRUE(cut.truncated) << format;
  }
}

std::string little(uint64_t value, size_t size) {
  return {reinterpret_cast<const char*>(&value), size};
}

// A size of 800 bytes of 3,200 cut a clip to a quarter without a word, and one of 0 made it empty.
TEST_F(SoundTest, AHeaderThatPromisesLessIsSaidAndAllIsRead) {
  Wav wav{.samples = std::vector<double>(1600, 7.0)};
  const auto check = [&](int64_t samples, bool longer, bool open, const std::string& behind) {
    const Sound sound = read(wav.bytes() + behind);
    EXPECT_EQ(sound.fault, "");
    EXPECT_EQ(sound.samples.size(0), samples);
    EXPECT_EQ(sound.longer, longer);
    EXPECT_EQ(sound.length_unknown, open);
    EXPECT_FALSE(sound.truncated);
  };
  const std::string chunk = "LIST" + little(3, 4) + "abc";
  check(1600, false, false, "");
  check(1600, false, false, chunk);
  check(1600, false, false, std::string("TAG") + std::string(125, 'x'));
  wav.data_bytes = 800;
  check(1600, true, false, "");
  wav.data_bytes = 0;
  check(1600, false, true, "");
  wav.samples.clear();
  EXPECT_EQ(read(wav.bytes() + chunk).fault, "no samples");
}

// Sizes of 64 bits stand in a chunk before the others.
TEST_F(SoundTest, AnRf64ThatPromisesLessIsReadWhole) {
  written(SF_FORMAT_RF64 | SF_FORMAT_PCM_16, std::vector<float>(1000, 0.25F), "whole");
  const std::string whole = read_file(folder_.path() / "whole");
  const size_t sizes = whole.find("ds64") + 8;
  ASSERT_LT(sizes, whole.size());
  for (const uint64_t promised : {uint64_t{2000}, uint64_t{400}, uint64_t{0}, uint64_t{3000}}) {
    std::string bytes = whole;
    bytes.replace(sizes + 8, 8, little(promised, 8));
    bytes.replace(sizes + 16, 8, little(promised / 2, 8));
    const Sound sound = read(bytes, "less");
    EXPECT_EQ(sound.samples.size(0), 1000) << promised;
    EXPECT_EQ(sound.longer, promised == 400) << promised;
    EXPECT_EQ(sound.length_unknown, promised == 0) << promised;
    EXPECT_EQ(sound.truncated, promised == 3000) << promised;
  }
}

TEST_F(SoundTest, FormatsWhoseSizesNobodyComparesAreRefused) {
  for (const int format : {SF_FORMAT_W64, SF_FORMAT_CAF, SF_FORMAT_VOC}) {
    written(format | SF_FORMAT_PCM_16, std::vector<float>(1000, 0.25F), "whole");
    EXPECT_EQ(read(read_file(folder_.path() / "whole")).fault,
              "neither WAV, AIFF, AU, FLAC, Ogg nor MP3");
  }
}

TEST_F(SoundTest, AiffAndAuThatPromiseLessAreReadWhole) {
  const std::vector<float> samples(1000, 0.25F);
  for (const auto& [format, name, place] :
       {std::tuple{SF_FORMAT_AIFF | SF_FORMAT_PCM_16, "SSND", 4},
        {SF_FORMAT_AU | SF_FORMAT_PCM_16, ".snd", 8}}) {
    written(format, samples, "whole");
    const std::string whole = read_file(folder_.path() / "whole");
    for (const uint64_t promised : {0, 408}) {
      std::string bytes = whole;
      const size_t at = bytes.find(name) + static_cast<size_t>(place);
      const std::string size = little(promised, 4);
      bytes.replace(at, 4, std::string(size.rbegin(), size.rend()));
      const Sound sound = read(bytes, "less");
      EXPECT_EQ(sound.samples.size(0), 1000) << name << promised;
      EXPECT_EQ(sound.longer, promised > 0) << name << promised;
      EXPECT_EQ(sound.length_unknown, promised == 0) << name << promised;
      EXPECT_FALSE(sound.truncated) << name << promised;
    }
  }
  written(SF_FORMAT_AIFF | SF_FORMAT_PCM_16, samples, "whole");
  std::string bytes = read_file(folder_.path() / "whole");
  const size_t frames = bytes.find("COMM") + 10;
  bytes.replace(frames, 4, std::string("\0\0\0\x64", 4));
  const Sound sound = read(bytes, "less");
  EXPECT_EQ(sound.samples.size(0), 1000);
  EXPECT_TRUE(sound.longer);
}

// In 36 bits of its first block a FLAC says how many samples it has, or 0: not known.
TEST_F(SoundTest, AFlacThatDoesNotKnowItsLengthIsWhole) {
  std::vector<float> samples(16000);
  for (size_t n = 0; n < samples.size(); ++n) samples[n] = 0.5F * std::sin(0.3F * n);
  written(SF_FORMAT_FLAC | SF_FORMAT_PCM_16, samples, "whole.flac");
  const std::string whole = read_file(folder_.path() / "whole.flac");
  const auto promising = [&](uint64_t frames) {
    std::string bytes = whole;
    bytes[21] = static_cast<char>(bytes[21] & 0xF0);
    const std::string size = little(frames, 4);
    bytes.replace(22, 4, std::string(size.rbegin(), size.rend()));
    return read(bytes, "changed.flac");
  };
  for (const uint64_t frames : {0, 4000, 16000, 20000}) {
    const Sound sound = promising(frames);
    EXPECT_EQ(sound.fault, "");
    EXPECT_EQ(sound.samples.size(0), 16000) << frames;
    EXPECT_EQ(sound.length_unknown, frames == 0) << frames;
    EXPECT_EQ(sound.longer, frames == 4000) << frames;
    EXPECT_EQ(sound.truncated, frames == 20000) << frames;
  }
}

TEST_F(SoundTest, AnOggThatIsCutIsTruncated) {
  std::vector<float> samples(64000);
  for (size_t n = 0; n < samples.size(); ++n) samples[n] = 0.5F * std::sin(0.3F * n);
  EXPECT_FALSE(written(SF_FORMAT_OGG | SF_FORMAT_VORBIS, samples, "whole.ogg").truncated);
  const std::string whole = read_file(folder_.path() / "whole.ogg");
  const Sound cut = read(whole.substr(0, whole.rfind("OggS")), "cut.ogg");
  EXPECT_TRUE(cut.truncated || !cut.fault.empty());
}

TEST_F(SoundTest, AnAuStreamLeavesItsLengthOpen) {
  using namespace std::string_literals;
  const std::string start = ".snd\0\0\0\x18"s, rest = "\0\0\0\x03\0\0\x3E\x80\0\0\0\x01"s;
  const Sound stream = read(start + "\xFF\xFF\xFF\xFF" + rest + std::string(200, '\1'), "a.au");
  EXPECT_EQ(stream.samples.size(0), 100);
  EXPECT_TRUE(stream.length_unknown);
  EXPECT_FALSE(stream.truncated);
}

TEST_F(SoundTest, ATruncatedFlacIsNoCrash) {
  std::vector<float> samples(16000);
  for (size_t n = 0; n < samples.size(); ++n) samples[n] = 0.5F * std::sin(0.3F * n);
  ASSERT_EQ(written(SF_FORMAT_FLAC | SF_FORMAT_PCM_16, samples, "whole.flac").samples.size(0),
            16000);
  std::string bytes;
  {
    std::ifstream file(folder_.path() / "whole.flac", std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  const Sound cut = read(bytes.substr(0, bytes.size() / 2), "cut.flac");
  if (cut.fault.empty()) {
    EXPECT_TRUE(cut.truncated);
    EXPECT_LT(cut.samples.size(0), 16000);
    EXPECT_GT(cut.samples.size(0), 0);
  }
}

TEST_F(SoundTest, WhatIsNoSoundSaysSo) {
  EXPECT_EQ(read("this is a letter, not a sound\n").fault, "not a sound file");
  EXPECT_EQ(read("").fault, "not a sound file");
  EXPECT_EQ(read(Wav{.samples = {}}.bytes()).fault, "no samples");
  EXPECT_EQ(read(Wav{.samples = {1, 2}}.bytes().substr(0, 20)).fault, "not a sound file");
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const Wav wav{.samples = {0.1, bad, 0.1}, .bits = 32, .format = 3};
    EXPECT_EQ(read(wav.bytes()).fault, "NaN or infinite samples");
  }
  EXPECT_THAT(error_of([&] { read_sound(folder_.path() / "none.wav"); }), HasSubstr("none.wav"));
}

TEST_F(SoundTest, FlacAndOggAreRead) {
  std::vector<float> samples(16000);
  for (size_t n = 0; n < samples.size(); ++n) samples[n] = 0.5F * std::sin(0.3F * n);
  const Sound flac = written(SF_FORMAT_FLAC | SF_FORMAT_PCM_16, samples, "a.flac");
  EXPECT_LT((flac.samples - at::tensor(samples)).abs().max().item<float>(), 1e-4);
  EXPECT_EQ(flac.rate, 16000);
  const Sound ogg = written(SF_FORMAT_OGG | SF_FORMAT_VORBIS, samples, "a.ogg");
  EXPECT_EQ(ogg.samples.size(0), 16000);
  EXPECT_LT((ogg.samples - at::tensor(samples)).abs().mean().item<float>(), 0.02);
  EXPECT_FALSE(ogg.truncated);
}

TEST(Resampled, KeepsATone) {
  for (const int64_t from : {4000, 44100, 96000}) {
    const auto samples = [](int64_t rate) {
      return (at::arange(rate, at::kDouble) * (2 * std::numbers::pi * 440.0 / rate))
          .sin()
          .to(at::kFloat);
    };
    const Tensor changed = resampled(samples(from), from, 16000);
    ASSERT_EQ(changed.size(0), 16000) << from;
    // The filter sees zeros before the beginning and past the end.
    const Tensor error = (changed - samples(16000)).narrow(0, 500, 15000).abs().max();
    EXPECT_LT(error.item<float>(), 0.01) << from;
  }
  EXPECT_EQ(resampled(at::zeros({7}), 4000, 8000).size(0), 14);
  EXPECT_EQ(resampled(at::zeros({7}), 8000, 8000).size(0), 7);
}

TEST(Resampled, RemovesWhatTheLowerRateCannotHold) {
  const Tensor high = (at::arange(16000, at::kDouble) * (2 * std::numbers::pi * 6000.0 / 16000))
                          .sin()
                          .to(at::kFloat);
  EXPECT_LT(resampled(high, 16000, 8000).narrow(0, 500, 7000).abs().max().item<float>(), 0.01);
}

TEST(Resampled, RefusesFactorsItDoesNotHave) {
  EXPECT_TRUE(can_resample(8000, 16000));
  EXPECT_FALSE(can_resample(1, 16000));
  EXPECT_FALSE(can_resample(2147483647, 16000));
  EXPECT_THAT(error_of([] { resampled(at::zeros({7}), 10, 16000); }),
              HasSubstr("from 10 to 16000 Hz"));
}

}  // namespace
}  // namespace relbias::modalities
