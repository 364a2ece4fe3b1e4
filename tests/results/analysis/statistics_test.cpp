// SPDX-License-Identifier: Apache-2.0
// tests: statistics against figures worked out by hand, and against those of scipy.
#include "results/analysis/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace relbias::results {
namespace {

TEST(Statistics, KnownFigures) {
  const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};
  const Summary summary = summarise(values);
  EXPECT_EQ(summary.count, 8);
  EXPECT_DOUBLE_EQ(summary.mean, 5);
  EXPECT_DOUBLE_EQ(summary.deviation, std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(summary.standard_error, std::sqrt(32.0 / 7 / 8));
}

TEST(Statistics, NoSpreadIsInventedForOneValue) {
  const std::vector<double> values = {0.5};
  const Summary summary = summarise(values);
  EXPECT_EQ(summary.count, 1);
  EXPECT_EQ(summary.mean, 0.5);
  EXPECT_TRUE(std::isnan(summary.deviation));
  EXPECT_TRUE(std::isnan(summary.standard_error));
  EXPECT_EQ(summarise({}).count, 0);
  EXPECT_TRUE(std::isnan(summarise({}).mean));
}

TEST(Statistics, LargeValuesOfSmallSpread) {
  const std::vector<double> values = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
  EXPECT_DOUBLE_EQ(summarise(values).deviation, std::sqrt(30.0));
}

TEST(Statistics, NotANumberStaysVisible) {
  EXPECT_TRUE(std::isnan(summarise(std::vector<double>{1, not_given, 3}).mean));
  EXPECT_EQ(summarise(std::vector<double>{1, INFINITY}).mean, INFINITY);
}

TEST(Statistics, Median) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isnan(median({})));
}

// scipy 1.17.1 and numpy gave the figures below.

TEST(Statistics, SummaryAgreesWithScipy) {
  const Summary summary = summarise(std::vector<double>{0.91, 0.87, 0.95, 0.90, 0.88});
  EXPECT_NEAR(summary.mean, 0.902, 1e-15);
  EXPECT_NEAR(summary.deviation * summary.deviation, 0.00097, 1e-15);
  EXPECT_NEAR(summary.standard_error, 0.013928388277184112, 1e-15);
}

TEST(Statistics, EqualValuesShareARank) {
  // rankdata(x)
  const std::vector<double> expected = {3.5, 2, 3.5, 1, 5};
  EXPECT_EQ(ranks(std::vector<double>{3.1, 2.0, 3.1, 1.5, 9}), expected);
  EXPECT_TRUE(ranks({}).empty());
}

}  // namespace
}  // namespace relbias::results
