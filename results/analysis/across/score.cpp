// SPDX-License-Identifier: Apache-2.0
// results/analysis/across: scores: values of unlike tasks on one scale, from guessing to the
// ceiling.
#include "results/analysis/across/score.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>

#include "results/metrics/metric.h"

namespace relbias::results {
namespace {

constexpr double tail = 0.025;
constexpr size_t seeds_for_interval = 5;
constexpr int resamples = 1000;

using Generator = boost::random::mt19937_64;

double ceiling_of(const Comparison& comparison) {
  const RunRecord& run = *comparison.rows.front().repetitions->runs.front();
  if (run.primary_metric == comparison.metric && std::isfinite(run.ceiling)) return run.ceiling;
  if (comparison.direction() < 0) return 0;
  for (const MetricEntry& entry : metric_entries()) {
    if (entry.name == comparison.metric && std::isfinite(entry.most)) return entry.most;
  }
  return not_given;
}

Score scaled(const Terms& terms, double scale) {
  if (terms.seeds == 0 || std::isnan(scale)) return {};
  const Inference found = infer(terms);
  return {scale * terms.difference, scale * scale * found.variance, found.degrees};
}

double share_won(const std::vector<double>& first, const std::vector<double>& second,
                 int direction) {
  double won = 0;
  for (const double one : first) {
    for (const double other : second) {
      won += one == other ? 0.5 : (one - other) * direction > 0 ? 1 : 0;
    }
  }
  return won / static_cast<double>(first.size() * second.size());
}

double share_won(const Contest& task) {
  if (task.first_standing != task.second_standing) {
    return task.first_standing > task.second_standing ? 1 : 0;
  }
  if (task.first_standing < 2 || task.first.empty() || task.second.empty()) return 0.5;
  return share_won(task.first, task.second, task.direction);
}

std::vector<double> resample(const std::vector<double>& values, Generator& generator) {
  const boost::random::uniform_int_distribution<size_t> any(0, values.size() - 1);
  std::vector<double> drawn(values.size());
  for (double& value : drawn) value = values[any(generator)];
  return drawn;
}

Interval bootstrapped(const std::vector<Contest>& tasks) {
  Generator generator(0);
  std::vector<double> means;
  for (int i = 0; i < resamples; ++i) {
    double sum = 0;
    for (Contest task : tasks) {
      task.first = resample(task.first, generator);
      task.second = resample(task.second, generator);
      sum += share_won(task);
    }
    means.push_back(sum / static_cast<double>(tasks.size()));
  }
  std::ranges::sort(means);
  const auto at = [&](double share) { return means[static_cast<size_t>(share * (resamples - 1))]; };
  return {at(tail), at(1 - tail)};
}

}  // namespace

double score_scale(const Comparison& comparison, size_t column) {
  const double range =
      (ceiling_of(comparison) - comparison.guessing.at(column)) * comparison.direction();
  return range > 0 ? 1 / range : not_given;
}

Score score_of(const Cell& cell, double scale, int direction) {
  if (cell.guessed.empty() || cell.samples.empty()) return {};
  const Terms terms = terms_of(cell.samples, cell.guessed);
  return scaled(direction < 0 ? terms.reversed() : terms, scale);
}

Score score_difference(const Cell& first, const Cell& second, double scale, int direction) {
  if (first.samples.empty() || second.samples.empty()) return {};
  const Terms terms = terms_of(first.samples, second.samples);
  return scaled(direction < 0 ? terms.reversed() : terms, scale);
}

MeanScore mean_of(std::span<const Score> scores) {
  if (scores.empty()) return {};
  const auto tasks = static_cast<double>(scores.size());
  MeanScore result{.mean = 0, .interval = {}, .p = not_given};
  double variance = 0, squares = 0;
  for (const Score& score : scores) {
    result.mean += score.value / tasks;
    variance += score.variance / (tasks * tasks);
    const double part = score.variance / (tasks * tasks);
    if (part > 0) squares += part * part / score.degrees;
  }
  if (!std::isfinite(variance) || !std::isfinite(result.mean)) return result;
  if (!(squares > 0)) {
    result.interval = {result.mean, result.mean};
    result.p = result.mean == 0 ? 1 : 0;
    return result;
  }
  const boost::math::students_t distribution(variance * variance / squares);
  const double half = boost::math::quantile(distribution, 1 - tail) * std::sqrt(variance);
  result.interval = {result.mean - half, result.mean + half};
  const double t = std::abs(result.mean) / std::sqrt(variance);
  result.p = 2 * boost::math::cdf(boost::math::complement(distribution, t));
  return result;
}

Improvement improvement(const std::vector<Contest>& tasks) {
  if (tasks.empty()) return {};
  Improvement result{.probability = 0, .interval = {}};
  bool enough = true;
  for (const Contest& task : tasks) {
    result.probability += share_won(task) / static_cast<double>(tasks.size());
    enough = enough && std::min(task.first.size(), task.second.size()) >= seeds_for_interval;
  }
  if (enough) result.interval = bootstrapped(tasks);
  return result;
}

}  // namespace relbias::results
