// SPDX-License-Identifier: Apache-2.0
// tests: frames at another hop than in training: what counts is the seconds between them.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "encodings/encoding.h"

namespace relbias::encodings {
namespace {

RelationMap frames(int64_t count, double hop, const std::string& relation = "time") {
  return make_relation(relation)->map({.queries = count, .keys = count, .hop_seconds = hop});
}

std::shared_ptr<Encoding> trained(const std::string& text) {
  const EncodingContext context{.heads = 2,
                                .head_width = 4,
                                .width = 8,
                                .relation = make_relation("time")->traits(),
                                .trained = frames(7, 0.01)};
  const auto encoding = make_encoding(parse_encoding(text), "time", context, Initialiser(3));
  const at::NoGradGuard no_gradients;
  for (auto& parameter : encoding->parameters()) {
    parameter.add_(at::linspace(0.1, 0.5, parameter.numel()).view(parameter.sizes()));
  }
  return encoding;
}

class Seconds : public ::testing::TestWithParam<std::string> {};

// Four frames 0.02 s apart stand where every second of seven does that are 0.01 s apart.
TEST_P(Seconds, TwiceTheHopIsEverySecondOffset) {
  const at::NoGradGuard no_gradients;
  const auto encoding = trained(GetParam());
  const RelationMap all = frames(7, 0.01), some = frames(4, 0.02);
  const Tensor every_second = at::arange(0, 13, 2, at::kLong);
  const Terms a = encoding->terms(all), b = encoding->terms(some);
  ASSERT_EQ(a.score.defined(), b.score.defined());
  if (a.score.defined()) {
    EXPECT_LT((a.score.index_select(1, every_second) - b.score).abs().max().item<double>(), 1e-6);
    EXPECT_GT(b.score.abs().max().item<double>(), 0);
  }
  ASSERT_EQ(a.rotation.has_value(), b.rotation.has_value());
}
INSTANTIATE_TEST_SUITE_P(Encodings, Seconds,
                         ::testing::Values("alibi", "kerple", "t5", "clipped", "table", "cpb"));

TEST(Seconds, InFramesTheHopChangesNothing) {
  const at::NoGradGuard no_gradients;
  const auto alibi = trained("alibi");
  const Tensor seconds = alibi->terms(frames(4, 0.02)).score;
  const Tensor in_frames = alibi->terms(frames(4, 0.02, "time unit=frames")).score;
  EXPECT_LT((seconds - 2 * in_frames).abs().max().item<double>(), 1e-6);
}

TEST(Seconds, PastTheTrainedRangeIsCountedInSeconds) {
  const auto learned = trained("learned");
  EXPECT_FALSE(learned->undefined_at(frames(4, 0.02)));
  EXPECT_TRUE(learned->undefined_at(frames(5, 0.02)));
  EXPECT_FALSE(learned->undefined_at(frames(13, 0.005)));
  EXPECT_TRUE(learned->undefined_at(frames(14, 0.005)));
}

}  // namespace
}  // namespace relbias::encodings
