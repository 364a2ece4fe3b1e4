// SPDX-License-Identifier: Apache-2.0
// results/inference: what runs keep of their test samples, as parts of a metric.
#include "results/inference/samples.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "results/metrics/metric.h"

namespace relbias::results {
namespace {

// What each sample gives to a value, which is their mean, and its share of all targets.
struct Parts {
  std::vector<double> values, shares;  // [m]
};

Parts parts_of(const Columns& columns, const MetricEntry& metric) {
  if (metric.is_ratio) {  // m / sum n times sums and counts
    Parts parts{columns[0], columns[1]};
    const double targets = std::accumulate(columns[1].begin(), columns[1].end(), 0.0);
    const double factor = static_cast<double>(columns[1].size()) / targets;
    for (double& value : parts.values) value *= factor;
    for (double& share : parts.shares) share *= factor;
    return parts;
  }
  Parts parts{metric.influence(columns), std::vector<double>(columns[0].size(), 1)};
  const double value = metric.value(columns);
  for (double& part : parts.values) part += value;
  return parts;
}

const SampleScores* scores_of(const Measurement& found) {
  const SampleSet* set = samples_of(found);
  if (set == nullptr) return nullptr;
  const auto scores = std::ranges::find(set->scores, found.row->metric, &SampleScores::metric);
  return scores == set->scores.end() ? nullptr : &*scores;
}

}  // namespace

const SampleSet* samples_of(const Measurement& found) {
  const EvaluationRow& row = *found.row;
  const auto set = std::ranges::find_if(found.run->samples, [&](const SampleSet& one) {
    return one.size == row.size && one.step == row.step && one.condition == row.condition;
  });
  return set == found.run->samples.end() ? nullptr : &*set;
}

SampleValues sample_values(const std::vector<Measurement>& found) {
  std::map<int64_t, const SampleScores*> by_seed;
  SampleValues row;
  for (const Measurement& one : found) {
    const SampleScores* scores = scores_of(one);
    if (scores == nullptr || !std::isfinite(one.row->value)) return {};
    const std::string& samples = samples_of(one)->hash;
    if (by_seed.empty()) row.samples = samples;
    if (samples != row.samples) return {};
    by_seed[one.run->seed] = scores;
  }
  if (by_seed.empty()) return {};
  const MetricEntry& metric = *read_metric(found.front().row->metric).entry;
  for (const auto& [seed, scores] : by_seed) {
    Parts parts = parts_of(scores->columns, metric);
    row.seeds.push_back(seed);
    row.values.push_back(std::move(parts.values));
    row.shares = std::move(parts.shares);
  }
  return row;
}

SampleValues guessed_values(const std::vector<Measurement>& found, const SampleValues& row) {
  if (row.empty()) return {};
  SampleValues guessed = row;
  const SampleScores& scores = *scores_of(found.front());
  std::vector<double> values;
  if (!scores.guesses.empty()) {
    values = parts_of(scores.guesses, *read_metric(scores.metric).entry).values;
  } else {
    const double chance = found.front().row->chance;
    if (!std::isfinite(chance)) return {};
    for (const double share : row.shares) values.push_back(chance * share);
  }
  for (std::vector<double>& seed : guessed.values) seed = values;
  return guessed;
}

}  // namespace relbias::results
