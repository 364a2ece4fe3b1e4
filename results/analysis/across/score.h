// SPDX-License-Identifier: Apache-2.0
// results/analysis/across: scores: values of unlike tasks on one scale, from guessing to the
// ceiling.
#pragma once

#include <span>
#include <vector>

#include "results/analysis/comparison.h"

namespace relbias::results {

/// A score or a difference of two, and how much of it is chance.
struct Score {
  double value = not_given;
  double variance = not_given;
  double degrees = not_given;  // of Student's t
};

/// What a difference of the metric counts as a difference of scores: 1 / |ceiling - guess|. An
/// error without a ceiling has the ceiling 0, a metric of shares 1. NaN where that is not known or
/// is not better than guessing.
double score_scale(const Comparison& comparison, size_t column);

/// (value - guess) / (ceiling - guess), for errors (guess - value) / guess, on the same test
/// samples. NaN where the trivial rule's samples are not known.
Score score_of(const Cell& cell, double scale, int direction);

/// The score of the first less that of the second, over common seeds and test samples.
Score score_difference(const Cell& first, const Cell& second, double scale, int direction);

/// The plain mean over T fixed tasks, its variance sum of variances / T^2.
struct MeanScore {
  double mean = not_given;
  Interval interval;     // 95 %
  double p = not_given;  // two-sided, of a mean of 0
};
MeanScore mean_of(std::span<const Score> scores);

/// One encoding's values in a task, by seed; `standing` comes first: 2 above guessing, 1 not, 0
/// diverged.
struct Contest {
  std::vector<double> first, second;
  int first_standing = 2, second_standing = 2;
  int direction = 1;
};

/// The probability of improvement of the first over the second: the mean over tasks of the share of
/// seed pairs that it wins, ties half. What guesses or diverged ties with its like and loses to
/// what is above it. The interval, from 5 seeds of each on, is the percentile bootstrap over seeds
/// within tasks.
struct Improvement {
  double probability = not_given;
  Interval interval;
};
Improvement improvement(const std::vector<Contest>& tasks);

}  // namespace relbias::results
