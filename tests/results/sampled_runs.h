// SPDX-License-Identifier: Apache-2.0
// tests/results: runs that keep what each test sample gave.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "results/record.h"
#include "tests/results/table_runs.h"

namespace relbias::results {

inline constexpr size_t kept_samples = 64;

// Numbers of mean 0 and standard deviation about `spread`, which look like chance and are the same
// every time.
inline std::vector<double> scattered(const std::string& name, double spread) {
  uint64_t state = 1469598103934665603U;
  for (const char c : name) state = (state ^ static_cast<unsigned char>(c)) * 1099511628211U;
  std::vector<double> values;
  double mean = 0;
  for (size_t i = 0; i < kept_samples; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    values.push_back(static_cast<double>(state >> 40) / static_cast<double>(1 << 24) - 0.5);
    mean += values.back() / static_cast<double>(kept_samples);
  }
  for (double& value : values) value = (value - mean) * std::sqrt(12.0) * spread;
  return values;
}

// Gives every row of the evaluation that has a number its samples, whose mean is the row's value.
inline void keep_samples(RunRecord& run, double spread = 0.1) {
  for (const EvaluationRow& row : run.evaluation) {
    if (!row.defined || !std::isfinite(row.value)) continue;
    SampleSet set{.size = row.size, .condition = row.condition, .step = row.step};
    set.hash = std::to_string(row.size) + row.condition;
    set.unit = "sequence";
    std::vector<double> sums = scattered(run.run_id + set.hash, spread);
    for (double& sum : sums) sum += row.value;
    for (size_t i = 0; i < kept_samples; ++i) set.sources.push_back(std::to_string(i));
    set.scores.push_back({.metric = row.metric,
                          .columns = {sums, std::vector<double>(kept_samples, 1)},
                          .names = {"sum", "count"}});
    run.samples.push_back(std::move(set));
  }
}

// A finished run as table_run makes it, with samples.
inline RunRecord sampled_run(const std::string& encoding, int64_t seed,
                             const std::map<int64_t, double>& accuracy, double spread = 0.1) {
  RunRecord run = table_run(encoding, seed, accuracy);
  keep_samples(run, spread);
  return run;
}

// The same for seeds 0, 1, 2, which differ by a few thousandths.
inline std::vector<RunRecord> three_runs(const std::string& encoding,
                                         const std::map<int64_t, double>& accuracy) {
  std::vector<RunRecord> runs;
  for (int64_t seed = 0; seed < 3; ++seed) {
    std::map<int64_t, double> values = accuracy;
    const auto noise = scattered(encoding + std::to_string(seed), 0.004);
    size_t next = 0;
    for (auto& [factor, value] : values) value += noise[next++];
    runs.push_back(sampled_run(encoding, seed, values));
  }
  return runs;
}

}  // namespace relbias::results
