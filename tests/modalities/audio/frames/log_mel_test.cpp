// SPDX-License-Identifier: Apache-2.0
// tests: log-mel spectrograms: filters, frames, silence.
#include "modalities/audio/frames/log_mel.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "tests/error_of.h"

namespace relbias::modalities {
namespace {

using ::testing::HasSubstr;

Tensor tone(double frequency, int64_t samples, int64_t rate = 16000) {
  const double step = 2 * std::numbers::pi * frequency / static_cast<double>(rate);
  return (at::arange(samples, at::kDouble) * step).sin().to(at::kFloat);
}

// Seen elsewhere: mel filters without a bin
TEST(MelFilters, EmptyOnesAreRefusedByTheirNumbers) {
  EXPECT_THAT(error_of([] { mel_filters({.fft = 400, .mels = 128}); }),
              HasSubstr("4 of 128 mel filters cover no frequency bin (bins are 40 Hz apart): "
                        "filters 0, 3, 6, 13;"));
  for (const int64_t mels : {80, 64, 40}) {
    const Tensor filters = mel_filters({.fft = 400, .mels = mels});
    EXPECT_EQ(filters.sizes(), at::IntArrayRef({mels, 201}));
    EXPECT_GT(filters.sum(1).min().item<double>(), 0) << mels;
  }
}

TEST(MelFilters, AreTrianglesAtEqualStepsInMel) {
  // HTK: 0 .. 2840.02 mel in three steps: corners 0, 946.67, 1893.35, 2840.02 mel, that is
  // 0, 921.5, 3056.1, 8000 Hz.
  const Tensor filters = mel_filters({.fft = 16000, .mels = 2});  // a bin a hertz
  EXPECT_NEAR(static_cast<double>(filters[0].argmax().item<int64_t>()), 921.5, 0.6);
  EXPECT_NEAR(static_cast<double>(filters[1].argmax().item<int64_t>()), 3056.1, 0.6);
  EXPECT_NEAR(filters[0][461].item<double>(), 0.5, 1e-3);
  EXPECT_EQ(filters[0][3057].item<double>(), 0);
  EXPECT_EQ(filters[1][921].item<double>(), 0);
  EXPECT_NEAR(filters[0][2000].item<double>() + filters[1][2000].item<double>(), 1, 1e-9);
}

TEST(MelFilters, SlaneyIsLinearBelowAThousandHertz) {
  // To 1000 Hz the corners are equally far apart in hertz; from 1000 to 6400 Hz in its logarithm.
  const Tensor filters =
      mel_filters({.fft = 16000, .mels = 2, .high = 1000, .scale = MelScale::slaney});
  EXPECT_NEAR(static_cast<double>(filters[0].argmax().item<int64_t>()), 1000.0 / 3, 1);
  EXPECT_NEAR(static_cast<double>(filters[1].argmax().item<int64_t>()), 2000.0 / 3, 1);
  const Tensor high =
      mel_filters({.fft = 16000, .mels = 1, .low = 1000, .high = 6400, .scale = MelScale::slaney});
  EXPECT_NEAR(static_cast<double>(high[0].argmax().item<int64_t>()), std::sqrt(6400.0 * 1000), 1);
}

TEST(MelFilters, OfOneAreaHaveOneArea) {
  const Tensor filters =
      mel_filters({.fft = 16000, .mels = 10, .scale = MelScale::slaney, .norm = MelNorm::area});
  // Summed over bins one hertz apart.
  EXPECT_LT((filters.sum(1) - 1).abs().max().item<double>(), 1e-3);
}

TEST(MelFilters, ContradictionsAreErrors) {
  const auto message = [](const LogMelOptions& options) {
    return error_of([&] { LogMel{options}; });
  };
  EXPECT_THAT(message({.fft = 256}), HasSubstr("fft 256 found, at least the window's 400"));
  EXPECT_THAT(message({.low = 5000, .high = 4000}), HasSubstr("from 5000 to 4000 Hz"));
  EXPECT_THAT(message({.high = 9000}), HasSubstr("<= 8000 expected"));
  EXPECT_THAT(message({.window = 0}), HasSubstr("at least 2 and 1 expected"));
  EXPECT_THAT(message({.hop = 1e-6}), HasSubstr("at least 2 and 1 expected"));
}

TEST(LogMelFrames, CoverWholeWindowsOnly) {
  const LogMel log_mel({.rate = 8000, .high = 3800});  // window 200, hop 80
  EXPECT_EQ(log_mel.frames_of(199), 0);
  EXPECT_EQ(log_mel.frames_of(200), 1);
  EXPECT_EQ(log_mel.frames_of(279), 1);
  EXPECT_EQ(log_mel.frames_of(280), 2);
  EXPECT_EQ(log_mel(at::zeros({199})).sizes(), at::IntArrayRef({0, 40}));
  EXPECT_EQ(log_mel(at::zeros({1000})).sizes(), at::IntArrayRef({11, 40}));
}

TEST(LogMelFrames, FrameTStandsAtTHops) {
  const LogMel log_mel({.rate = 8000, .high = 3800});
  Tensor samples = at::zeros({2000});
  samples[805] = 1.0;  // in the windows that begin at 640, 720 and 800
  const Tensor loud = (log_mel(samples).amax(1) > -23).nonzero().flatten();
  EXPECT_TRUE(at::equal(loud, at::tensor({8, 9, 10}, at::kLong))) << loud;
}

TEST(LogMelFrames, AToneIsInItsBand) {
  const LogMelOptions options{.low = 60, .high = 7600};
  const Tensor frames = LogMel(options)(tone(1000, 16000));
  const Tensor peak = mel_filters(options).select(1, 1000 * 512 / 16000).argmax();
  EXPECT_TRUE((frames.argmax(1) == peak).all().item<bool>());
}

// Seen elsewhere: integers divided by the wrong scale. Integers taken for real numbers shift
// everything.
TEST(LogMelFrames, AFactorIsAShift) {
  const LogMel log_mel({});
  const Tensor shift = log_mel(tone(700, 16000) * 32768) - log_mel(tone(700, 16000));
  EXPECT_NEAR(shift[5].max().item<double>(), 2 * std::log(32768.0), 1e-3);
  EXPECT_NEAR(2 * std::log(32768.0), 20.794, 1e-3);
}

// Seen elsewhere: silence normalised to NaN
TEST(LogMelSilence, IsTheFloorAndNormalisesToZero) {
  const Tensor frames = LogMel({.floor = 1e-10})(at::zeros({16000}));
  EXPECT_LT((frames.to(at::kDouble) + 23.0258509).abs().max().item<double>(), 1e-5);
  const Tensor normalised = BandStatistics::of(frames).normalised(frames);
  EXPECT_EQ(normalised.abs().max().item<float>(), 0);  // fails for NaN, too
}

TEST(BandStatistics, MeanZeroDeviationOne) {
  const Tensor frames = at::tensor({1.F, 5.F, 3.F, 5.F}).view({2, 2});
  const Tensor normalised = BandStatistics::of(frames).normalised(frames);
  EXPECT_TRUE(at::equal(normalised, at::tensor({-1.F, 0.F, 1.F, 0.F}).view({2, 2}))) << normalised;
  // A band that never changed in training tells nothing at a test either.
  const Tensor other = BandStatistics::of(frames).normalised(frames + 10);
  EXPECT_EQ(other[0][1].item<float>(), 0);
  // Of a single frame.
  EXPECT_EQ(BandStatistics::of(frames.narrow(0, 0, 1)).normalised(frames)[1][0].item<float>(), 0);
}

TEST(LogMelOptions, SurviveTheirSpecs) {
  const LogMelOptions defaults{.rate = 8000, .low = 60, .high = 3800, .floor = 1e-5};
  const auto specs = log_mel_specs(defaults);
  EXPECT_EQ(canonical(log_mel_from(parse_options("dataset", "x", specs))), canonical(defaults));
  const auto changed = log_mel_from(parse_options(
      "dataset", "x mels=20 scale=slaney norm=area fft=512 hop=0.02 window=0.05 low=0", specs));
  EXPECT_EQ(canonical(changed),
            "log-mel rate=8000 window=400 hop=160 fft=512 mels=20 low=0 high=3800 scale=slaney "
            "norm=area floor=1e-05");
  EXPECT_DOUBLE_EQ(changed.hop_seconds(), 0.02);
}

}  // namespace
}  // namespace relbias::modalities
