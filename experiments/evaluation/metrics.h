// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: metrics of answers to scored targets, with their standard errors.
#pragma once

#include <string>
#include <vector>

#include "modalities/plain/rooms.h"

namespace relbias::experiments {

/// What one evaluation sample contributes.
struct SampleScore {
  double nats = 0;     // cross-entropy, summed over its scored targets
  double hits = 0;     // scored targets answered right
  double targets = 0;  // scored targets
  double errors = 0;   // absolute errors of numbers, summed
};

struct Estimate {
  double value = 0;
  double standard_error = 0;  // over samples; NaN for a single one
};

/// The metric over all scored targets of the samples:
///     cross-entropy  nats a target       bits-per-byte  cross-entropy / ln 2
///     perplexity     exp(cross-entropy)  accuracy       share of right answers
///     mean-absolute-error
/// A mean over targets is a ratio of two sums over samples, sum x / sum n; its standard error is
/// that of the ratio estimator, sqrt(S / (S - 1) * sum (x - n * mean)^2) / sum n. Perplexity has it
/// by the delta method. Samples must hold a scored target.
Estimate estimate(const std::string& metric, const std::vector<SampleScore>& samples);

/// `lower` or `higher`: which values of a metric are better.
std::string better(const std::string& metric);

}  // namespace relbias::experiments
