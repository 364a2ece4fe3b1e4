// SPDX-License-Identifier: Apache-2.0
// results/inference: how much of a value or of a difference is chance: seeds and test samples vary.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "results/analysis/statistics.h"

namespace relbias::results {

/// Two are told apart, a claim holds, a value is above guessing where p is at most this.
inline constexpr double significance = 0.05;

/// What one row of a table found in one of its columns, sample by sample. All runs of a task meet
/// the same samples.
struct SampleValues {
  std::string samples;                      // hash of what they are: equal ones pair
  std::vector<int64_t> seeds;               // [n], ascending
  std::vector<std::vector<double>> values;  // [n][m]: their mean over m is the seed's metric
  std::vector<double> shares;  // [m], of mean 1: m n(t) / sum n, of targets that are sample t's

  bool empty() const { return seeds.empty(); }
  int64_t count() const { return empty() ? 0 : static_cast<int64_t>(values.front().size()); }
};

/// A value or a difference d and the parts of its variance. With x(s,t) what sample t gives to it
/// with seed s, d the mean of x, and y(s,t) = x - d share(t):
///
///     over_seeds   = variance of the n means of x over samples / n              (divisor n - 1)
///     over_samples = variance of the m means of y over seeds / m                (divisor m - 1)
///     residual     = sum of (y - its seed mean - its sample mean + its mean)^2
///                    / ((n - 1)(m - 1)) / (n m)
struct Terms {
  int64_t seeds = 0;    // n
  int64_t samples = 0;  // m
  double difference = not_given;
  double over_seeds = not_given;    // NaN for one seed
  double over_samples = not_given;  // NaN for one sample
  double residual = not_given;      // NaN for one of either

  /// The same difference the other way round.
  Terms reversed() const;
};

/// Of one value alone.
Terms terms_of(const SampleValues& row);

/// Of the first less the second over the seeds that both have. Without a common seed, or where the
/// samples are not the same, `seeds` is 0.
Terms terms_of(const SampleValues& first, const SampleValues& second);

/// How much one seed's difference of two rows varies, as the mean over all pairs of a column. With
/// three seeds the variance of one pair is sometimes small by chance, and p then far too small.
struct SeedPool {
  double variance = 0;  // of the difference that one seed shows
  int64_t rows = 0;
  int64_t seeds = 0;  // the fewest that a pair has in common
};

/// Over the pairs of rows with the same samples and two common seeds or more.
SeedPool pooled_seeds(const std::vector<const SampleValues*>& complete);

/// What may be concluded from a difference: v = max(over_seeds + over_samples - residual,
/// over_seeds, over_samples), with df = v^2 / (over_seeds^2 / (n-1) + over_samples^2 / (m-1)).
struct Inference {
  Terms terms;
  double variance = not_given;  // v
  double degrees = not_given;   // df, of Student's t
  Interval interval;            // 95 %; NaN for one seed and one sample
  double p = not_given;         // two-sided; likewise

  /// Of no true difference, or one below 0: one-sided.
  double p_above() const;
  /// The least difference whose p would have been at most `level`.
  double least_told(double level) const;
};

/// Where the pool varies more than the pair's own seeds, over_seeds is the pool's, with
/// (rows - 1)(n - 1) in place of n - 1.
Inference infer(const Terms& terms, const SeedPool& pool = {});

/// One of a column's rows.
struct Rival {
  const SampleValues* values = nullptr;
  bool complete = false;  // has all planned seeds
  bool may_win = true;    // where it is complete; false: not above guessing
};

/// A column judged over all of its pairs.
struct ColumnInference {
  int64_t best = -1;           // the complete rival that may win with the best mean; -1: none
  int64_t pairs = 0;           // that could be judged: two common seeds or more
  SeedPool pool;               // of the complete rivals
  std::vector<Inference> led;  // by rival: what the best is ahead of it by; seeds 0: not comparable

  bool is_judged(size_t rival) const;
  /// Whether the best is told from it: p times the number of pairs.
  bool is_told(size_t rival) const;
};

/// `direction`: 1 where higher is better, -1 where lower is.
ColumnInference infer_column(const std::vector<Rival>& rivals, int direction);

/// Holm's step-down adjustment, in the order of `p`.
std::vector<double> holm(std::span<const double> p);

}  // namespace relbias::results
