// SPDX-License-Identifier: Apache-2.0
// results: what a few repeated measurements say.
#pragma once

#include <cstdint>
#include <span>

#include "results/record.h"

namespace relbias {

struct Summary {
  int64_t count = 0;
  double mean = not_given;            // NaN without values
  double deviation = not_given;       // standard deviation, divisor n - 1; NaN below two values
  double standard_error = not_given;  // of the mean: deviation / sqrt(n); likewise
};

Summary summarise(std::span<const double> values);

/// The middle value, or the mean of the two in the middle; NaN without values.
double median(std::span<const double> values);

}  // namespace relbias
