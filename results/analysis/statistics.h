// SPDX-License-Identifier: Apache-2.0
// results/analysis: what a few repeated measurements say.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "results/record.h"

namespace relbias::results {

struct Interval {
  double low = not_given;
  double high = not_given;

  bool contains(double value) const { return low <= value && value <= high; }
};

struct Summary {
  int64_t count = 0;
  double mean = not_given;            // NaN without values
  double deviation = not_given;       // standard deviation, divisor n - 1; NaN below two values
  double standard_error = not_given;  // of the mean: deviation / sqrt(n); likewise
};

Summary summarise(std::span<const double> values);

/// The middle value, or the mean of the two in the middle; NaN without values.
double median(std::span<const double> values);

/// The percentile bootstrap interval of the mean, 95 %. Up to six values every one of the n^n
/// resamples is taken, from there on 1,000 to 4,000 that are drawn with a fixed seed. NaN below two
/// values: one seed has no interval. Of three values it reaches from the least to the largest.
Interval bootstrap_interval(std::span<const double> values);

/// The same with two levels, as for scores of several tasks: each stratum (task) is resampled on
/// its own, and the statistic is the interquartile mean of all values together. Strata of one value
/// add no spread; NaN where every stratum has one.
Interval stratified_interval(const std::vector<std::vector<double>>& strata);

/// What the differences of pairs say: of two encodings, one a seed.
struct PairedTest {
  int64_t count = 0;
  double mean = not_given;
  Interval interval;     // bootstrap_interval of the differences
  double p = not_given;  // two-sided sign-flip test of mean 0; below two pairs NaN

  /// Whether the pairs tell the two apart: three pairs or more, and 0 outside the interval.
  bool tells_apart() const { return count >= 3 && !interval.contains(0); }
};

/// The sign-flip test: how often a difference as large as that found arises where each pair's sign
/// is a coin's throw. Exact up to 16 pairs, from there on 4,096 to 16,384 throws with a fixed seed.
PairedTest paired_test(std::span<const double> differences);

/// The mean of the middle half: a quarter of the values, rounded down, is cut off at each end.
double interquartile_mean(std::span<const double> values);

/// 1 is the least value; equal ones share the mean of their ranks.
std::vector<double> ranks(std::span<const double> values);

}  // namespace relbias::results
