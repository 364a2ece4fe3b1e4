// SPDX-License-Identifier: Apache-2.0
// tests/experiments/evaluation: metrics and standard errors of hand-made samples.
#include "experiments/evaluation/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace relbias::experiments {
namespace {

// Two samples of unlike length: 4 targets with 2 nats and 3 hits, 1 target with 3 nats and no hit.
const std::vector<SampleScore> unlike{{2, 3, 4}, {3, 0, 1}};

TEST(Metrics, AreMeansOverTargets) {
  EXPECT_DOUBLE_EQ(estimate("cross-entropy", unlike).value, 1.0);
  EXPECT_DOUBLE_EQ(estimate("bits-per-byte", unlike).value, 1.0 / std::log(2.0));
  EXPECT_DOUBLE_EQ(estimate("perplexity", unlike).value, std::exp(1.0));
  EXPECT_DOUBLE_EQ(estimate("accuracy", unlike).value, 0.6);
}

TEST(Metrics, StandardErrorIsThatOfARatio) {
  // Residuals 2 - 4 = -2 and 3 - 1 = 2: sqrt(2/1 * 8) / 5.
  EXPECT_DOUBLE_EQ(estimate("cross-entropy", unlike).standard_error, 0.8);
  EXPECT_DOUBLE_EQ(estimate("perplexity", unlike).standard_error, 0.8 * std::exp(1.0));
  // Samples of equal length: the usual deviation over the root of their number.
  const std::vector<SampleScore> equal{{1, 0, 1}, {2, 0, 1}, {3, 0, 1}};
  EXPECT_DOUBLE_EQ(estimate("cross-entropy", equal).standard_error, 1.0 / std::sqrt(3.0));
}

TEST(Metrics, OneSampleHasNoStandardError) {
  const Estimate one = estimate("accuracy", {{2, 3, 4}});
  EXPECT_DOUBLE_EQ(one.value, 0.75);
  EXPECT_TRUE(std::isnan(one.standard_error));
}

TEST(Metrics, KnowWhichWayIsBetter) {
  EXPECT_EQ(better("accuracy"), "higher");
  EXPECT_EQ(better("bits-per-byte"), "lower");
}

}  // namespace
}  // namespace relbias::experiments
