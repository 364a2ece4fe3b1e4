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

/// 1 is the least value; equal ones share the mean of their ranks.
std::vector<double> ranks(std::span<const double> values);

}  // namespace relbias::results
