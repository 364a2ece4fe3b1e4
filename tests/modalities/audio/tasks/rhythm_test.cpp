// SPDX-License-Identifier: Apache-2.0
// tests: task `rhythm`: where onsets stand, the leak of their density and that it is closed.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "modalities/modality.h"
#include "tests/error_of.h"

namespace relbias::modalities {
namespace {

using ::testing::HasSubstr;

constexpr int64_t many_bins = 512;  // so that an onset shows in the noise beyond doubt

struct Onsets {
  Tensor heard;   // [B, N] bool
  Tensor period;  // [B]
  Tensor guess;   // [B]
};

Onsets draw(const std::string& options, int64_t size, int64_t samples) {
  const auto& entry = find_entry("task", "rhythm", task_entries());
  const auto task = entry.make(
      parse_options("task", fmt::format("rhythm bins={} {}", many_bins, options), entry.options),
      nullptr);
  const Batch batch = task->training({.size = size, .batch = samples, .seed = 0, .step = 0});
  return {batch.inputs.square().mean(2) > 5, batch.answers.at(0).targets.flatten() + 4,
          batch.answers.at(0).guesses.flatten() + 4};
}

TEST(Rhythm, OnsetsStandOnTheBeatAndAFifthIsMissing) {
  const Onsets onsets = draw("", 120, 200);
  int64_t heard = 0, beats = 0;
  for (int64_t b = 0; b < 200; ++b) {
    const Tensor places = onsets.heard[b].nonzero().flatten();
    const int64_t period = onsets.period[b].item<int64_t>();
    ASSERT_GT(places.numel(), 0);
    EXPECT_EQ((places - places[0]).remainder(period).abs().sum().item<int64_t>(), 0) << b;
    heard += places.numel();
    beats += 120 / period;
  }
  EXPECT_NEAR(static_cast<double>(heard) / static_cast<double>(beats), 0.8, 0.05);
  EXPECT_EQ(onsets.period.min().item<int64_t>(), 4);
  EXPECT_EQ(onsets.period.max().item<int64_t>(), 12);
}

TEST(Rhythm, BalancedSamplesHaveAsManyOnsetsWhateverThePeriod) {
  for (const int64_t size : {64, 120}) {
    const Onsets onsets = draw("balanced=true", size, 300);
    const Tensor counts = onsets.heard.sum(1);
    EXPECT_TRUE((counts == std::llround(0.2 * static_cast<double>(size))).all().item<bool>());
  }
  // Without the balance the count tells slow from fast.
  const Onsets leaky = draw("", 120, 300);
  EXPECT_GT(leaky.heard.sum(1).max().item<int64_t>(), 2 * leaky.heard.sum(1).min().item<int64_t>());
}

// 0.8 N / p onsets are heard on average: of 120 frames 24 with p = 4, 8 with p = 12.
TEST(Rhythm, GuessesWhatTheCountOfOnsetsTells) {
  const Onsets leaky = draw("", 120, 300);
  const Tensor counts = leaky.heard.sum(1);
  for (int64_t b = 0; b < 300; ++b) {
    const double period = 0.8 * 120 / counts[b].item<double>();
    EXPECT_EQ(leaky.guess[b].item<int64_t>(), std::clamp(std::llround(period), 4LL, 12LL)) << b;
  }
  EXPECT_GT((leaky.guess == leaky.period).to(at::kDouble).mean().item<double>(), 0.35);
  EXPECT_TRUE((draw("balanced=true", 120, 50).guess == 4).all().item<bool>());
}

TEST(Rhythm, BalancedSamplesStillHaveTheBeat) {
  const Onsets onsets = draw("balanced=true", 120, 200);
  int64_t on_beat = 0, beats = 0;
  for (int64_t b = 0; b < 200; ++b) {
    const int64_t period = onsets.period[b].item<int64_t>();
    const Tensor places = onsets.heard[b].nonzero().flatten();
    on_beat += at::bincount(places.remainder(period), {}, period).max().item<int64_t>();
    beats += 120 / period;
  }
  EXPECT_NEAR(static_cast<double>(on_beat) / static_cast<double>(beats), 0.8, 0.05);
}

TEST(Rhythm, SizesThatAreNone) {
  const auto& entry = find_entry("task", "rhythm", task_entries());
  const auto task = entry.make(parse_options("task", "rhythm", entry.options), nullptr);
  EXPECT_THAT(error_of([&] { task->check({23}, {}); }), HasSubstr("at least 24 expected"));
  EXPECT_DOUBLE_EQ(task->traits().chance, 1.0 / 9);
}

}  // namespace
}  // namespace relbias::modalities
