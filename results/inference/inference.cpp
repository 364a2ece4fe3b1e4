// SPDX-License-Identifier: Apache-2.0
// results/inference: how much of a value or of a difference is chance.
#include "results/inference/inference.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <utility>

namespace relbias::results {
namespace {

using Matrix = std::vector<std::vector<double>>;  // [n][m]

// What sums of many numbers near 1 are off by: a variance below its square is none.
constexpr double rounding = 1e-13;

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Of the values' mean, divisor n - 1.
double variance_of_mean(std::span<const double> values) {
  if (values.size() < 2) return not_given;
  const auto count = static_cast<double>(values.size());
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / (count - 1) / count;
}

std::vector<double> seed_means(const Matrix& x) {
  std::vector<double> means;
  for (const std::vector<double>& row : x) means.push_back(mean_of(row));
  return means;
}

std::vector<double> sample_means(const Matrix& x) {
  std::vector<double> means(x.front().size(), 0);
  for (const std::vector<double>& row : x) {
    for (size_t t = 0; t < row.size(); ++t) means[t] += row[t];
  }
  for (double& mean : means) mean /= static_cast<double>(x.size());
  return means;
}

double residual_of(const Matrix& y, std::span<const double> seed, std::span<const double> sample) {
  const size_t n = seed.size(), m = sample.size();
  if (n < 2 || m < 2) return not_given;
  const double mean = mean_of(seed);
  double sum = 0;
  for (size_t s = 0; s < n; ++s) {
    for (size_t t = 0; t < m; ++t) {
      const double rest = y[s][t] - seed[s] - sample[t] + mean;
      sum += rest * rest;
    }
  }
  return sum / static_cast<double>((n - 1) * (m - 1)) / static_cast<double>(n * m);
}

// `scale`: the largest of the numbers that x was made of.
Terms terms_in(Matrix x, std::span<const double> shares, double scale) {
  Terms terms{.seeds = static_cast<int64_t>(x.size()),
              .samples = static_cast<int64_t>(x.front().size())};
  const std::vector<double> by_seed = seed_means(x);
  const double d = mean_of(by_seed);
  for (std::vector<double>& row : x) {
    for (size_t t = 0; t < row.size(); ++t) row[t] -= d * shares[t];
  }
  const std::vector<double> by_sample = sample_means(x);
  const auto without_rounding = [&](double variance) {
    return variance <= std::pow(rounding * scale, 2) ? 0 : variance;
  };
  terms.difference = std::abs(d) <= rounding * scale ? 0 : d;
  terms.over_seeds = without_rounding(variance_of_mean(by_seed));
  terms.over_samples = without_rounding(variance_of_mean(by_sample));
  terms.residual = without_rounding(residual_of(x, seed_means(x), by_sample));
  return terms;
}

double largest_in(const SampleValues& row) {
  double largest = 0;
  for (const std::vector<double>& values : row.values) {
    for (const double value : values) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

// The places of the seeds that both have.
std::vector<std::pair<size_t, size_t>> common_seeds(const SampleValues& first,
                                                    const SampleValues& second) {
  std::vector<std::pair<size_t, size_t>> common;
  size_t i = 0, j = 0;
  while (i < first.seeds.size() && j < second.seeds.size()) {
    if (first.seeds[i] == second.seeds[j]) {
      common.emplace_back(i++, j++);
    } else {
      ++(first.seeds[i] < second.seeds[j] ? i : j);
    }
  }
  return common;
}

bool are_paired(const SampleValues& first, const SampleValues& second) {
  return first.samples == second.samples && first.count() == second.count();
}

double tail_of(double degrees, double t) {
  return boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), t));
}

double quantile_of(double degrees, double upper_tail) {
  return boost::math::quantile(
      boost::math::complement(boost::math::students_t(degrees), upper_tail));
}

// Where nothing varies. Samples that all say the same could do so by chance.
double p_without_variance(const Terms& terms) {
  return terms.difference == 0 ? 1 : std::exp2(1 - static_cast<double>(terms.samples));
}

int64_t judged_pairs(const std::vector<Rival>& rivals) {
  int64_t pairs = 0;
  for (size_t i = 0; i < rivals.size(); ++i) {
    for (size_t j = i + 1; j < rivals.size(); ++j) {
      const SampleValues &one = *rivals[i].values, &other = *rivals[j].values;
      if (are_paired(one, other) && common_seeds(one, other).size() >= 2) ++pairs;
    }
  }
  return pairs;
}

}  // namespace

Terms Terms::reversed() const {
  Terms other = *this;
  other.difference = -difference;
  return other;
}

Terms terms_of(const SampleValues& row) {
  if (row.empty() || row.count() == 0) return {};
  return terms_in(row.values, row.shares, largest_in(row));
}

Terms terms_of(const SampleValues& first, const SampleValues& second) {
  const auto common = common_seeds(first, second);
  if (common.empty() || !are_paired(first, second) || first.count() == 0) return {};
  Matrix x;
  for (const auto& [i, j] : common) {
    std::vector<double>& row = x.emplace_back(first.values[i]);
    for (size_t t = 0; t < row.size(); ++t) row[t] -= second.values[j][t];
  }
  return terms_in(std::move(x), first.shares, std::max(largest_in(first), largest_in(second)));
}

SeedPool pooled_seeds(const std::vector<const SampleValues*>& complete) {
  std::vector<std::vector<double>> metrics;
  for (const SampleValues* row : complete) metrics.push_back(seed_means(row->values));
  std::vector<double> variances;
  SeedPool pool{.rows = static_cast<int64_t>(complete.size())};
  for (size_t i = 0; i < complete.size(); ++i) {
    for (size_t j = i + 1; j < complete.size(); ++j) {
      const auto common = common_seeds(*complete[i], *complete[j]);
      if (common.size() < 2 || !are_paired(*complete[i], *complete[j])) continue;
      std::vector<double> differences;
      for (const auto& [s, t] : common) differences.push_back(metrics[i][s] - metrics[j][t]);
      const auto seeds = static_cast<double>(common.size());
      variances.push_back(variance_of_mean(differences) * seeds);
      const auto least = variances.size() == 1 ? INT64_MAX : pool.seeds;
      pool.seeds = std::min(least, static_cast<int64_t>(common.size()));
    }
  }
  if (!variances.empty()) pool.variance = mean_of(variances);
  return pool;
}

double Inference::p_above() const {
  if (std::isnan(variance)) return not_given;
  if (variance == 0) return terms.difference > 0 ? p_without_variance(terms) / 2 : 1;
  return tail_of(degrees, terms.difference / std::sqrt(variance));
}

double Inference::least_told(double level) const {
  if (std::isnan(variance) || variance == 0) return variance;
  return quantile_of(degrees, level / 2) * std::sqrt(variance);
}

Inference infer(const Terms& terms, const SeedPool& pool) {
  Inference found{.terms = terms};
  if (terms.seeds == 0 || (terms.seeds == 1 && terms.samples == 1)) return found;
  const auto n = static_cast<double>(terms.seeds), m = static_cast<double>(terms.samples);
  double over_seeds = terms.over_seeds, seed_degrees = n - 1;
  if (pool.variance / n > over_seeds && pool.rows > 2) {
    over_seeds = pool.variance / n;
    seed_degrees = static_cast<double>((pool.rows - 1) * (pool.seeds - 1));
  }
  if (terms.seeds == 1) {
    found.variance = terms.over_samples;
    found.degrees = m - 1;
  } else if (terms.samples == 1) {
    found.variance = over_seeds;
    found.degrees = seed_degrees;
  } else {
    const double v = std::max(
        {over_seeds + terms.over_samples - terms.residual, over_seeds, terms.over_samples});
    found.variance = v;
    if (v > 0) {
      found.degrees = v * v /
                      (over_seeds * over_seeds / seed_degrees +
                       terms.over_samples * terms.over_samples / (m - 1));
    }
  }
  const double d = terms.difference;
  if (found.variance == 0) {
    found.interval = {d, d};
    found.p = p_without_variance(terms);
    return found;
  }
  const double half = found.least_told(significance);
  found.interval = {d - half, d + half};
  found.p = 2 * tail_of(found.degrees, std::abs(d) / std::sqrt(found.variance));
  return found;
}

bool ColumnInference::is_judged(size_t rival) const {
  return best >= 0 && static_cast<int64_t>(rival) != best && led[rival].terms.seeds >= 2;
}

bool ColumnInference::is_told(size_t rival) const {
  return is_judged(rival) && led[rival].p * static_cast<double>(pairs) <= significance;
}

ColumnInference infer_column(const std::vector<Rival>& rivals, int direction) {
  ColumnInference column;
  std::vector<const SampleValues*> complete;
  double most = -INFINITY;
  for (size_t i = 0; i < rivals.size(); ++i) {
    if (!rivals[i].complete || rivals[i].values->empty()) continue;
    complete.push_back(rivals[i].values);
    const double mean = direction * mean_of(seed_means(rivals[i].values->values));
    if (!rivals[i].may_win || !(mean > most)) continue;
    most = mean;
    column.best = static_cast<int64_t>(i);
  }
  column.pool = pooled_seeds(complete);
  column.pairs = judged_pairs(rivals);
  column.led.resize(rivals.size());
  if (column.best < 0) return column;
  const SampleValues& best = *rivals[static_cast<size_t>(column.best)].values;
  for (size_t i = 0; i < rivals.size(); ++i) {
    const Terms terms = terms_of(best, *rivals[i].values);
    column.led[i] = infer(direction > 0 ? terms : terms.reversed(), column.pool);
  }
  return column;
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t index) { return p[index]; });
  std::vector<double> adjusted(p.size());
  double running = 0;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const double scaled = static_cast<double>(p.size() - rank) * p[order[rank]];
    adjusted[order[rank]] = running = std::max(running, std::min(1.0, scaled));
  }
  return adjusted;
}

}  // namespace relbias::results
