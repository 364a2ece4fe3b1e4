// SPDX-License-Identifier: Apache-2.0
// tests/results/simulation: made-up experiments whose truth is known.
#include "tests/results/simulation/draws.h"

#include <fmt/format.h>

#include <boost/random/bernoulli_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/student_t_distribution.hpp>
#include <cmath>
#include <sstream>

namespace relbias::results {
namespace {

// Boost's distributions give the same numbers with every compiler and library.
using Generator = boost::random::mt19937_64;

constexpr double failing_share = 0.2;

double normal(Generator& generator) {
  return boost::random::normal_distribution<double>()(generator);
}

bool coin(Generator& generator, double probability) {
  return boost::random::bernoulli_distribution<double>(probability)(generator);
}

// Of mean 0 and variance 1.
double seed_effect(SeedShape shape, Generator& generator) {
  if (shape == SeedShape::two_peaked) return coin(generator, 0.5) ? 1 : -1;
  if (shape == SeedShape::heavy_tailed) {
    return boost::random::student_t_distribution<double>(3)(generator) / std::sqrt(3.0);
  }
  return normal(generator);
}

// A of one encoding: [seeds][samples].
std::vector<std::vector<double>> drawn(const Scenario& scenario, bool fails, Generator& generator) {
  const double each = std::sqrt(0.5);  // of a difference's variance
  std::vector<double> by_sample(drawn_samples);
  for (double& effect : by_sample) effect = each * scenario.over_samples * normal(generator);
  std::vector<std::vector<double>> values;
  for (int64_t seed = 0; seed < scenario.seeds; ++seed) {
    double by_seed = each * scenario.over_seeds * seed_effect(scenario.shape, generator);
    if (fails && coin(generator, failing_share)) by_seed -= failed_by;
    std::vector<double>& row = values.emplace_back();
    for (const double effect : by_sample) {
      row.push_back(scenario.hits ? static_cast<double>(coin(generator, scenario.rate))
                                  : scenario.rate + by_seed + effect +
                                        each * scenario.rest * normal(generator));
    }
  }
  return values;
}

RunRecord empty_run(const Draw& draw, const std::string& encoding, int64_t seed) {
  RunRecord run;
  run.run_id = fmt::format("{}-{}-{}", draw.study, encoding, seed);
  run.study = draw.study;
  run.status = RunStatus::done;
  run.config = "seed = " + std::to_string(seed) + "\n";
  run.modality = "text";
  run.task = "nothing";
  run.relation = "token";
  run.encoding = encoding;
  run.positions = {{.encoding = encoding, .relation = "token"}};
  run.seed = seed;
  run.train_size = 32;
  run.primary_metric = "accuracy";
  run.better = "higher";
  return run;
}

void add_size(RunRecord& run, int64_t factor, const std::vector<double>& sums) {
  double total = 0;
  for (const double sum : sums) total += sum;
  const auto count = static_cast<double>(sums.size());
  EvaluationRow row{.size = 32 * factor,
                    .factor = static_cast<double>(factor),
                    .metric = "accuracy",
                    .value = total / count};
  row.standard_error = 0;
  row.samples = drawn_samples;
  row.chance = 0.1;
  run.evaluation.push_back(row);
  SampleSet set{.size = row.size, .hash = fmt::format("set-{}", factor), .unit = "sequence"};
  set.scores.push_back({.metric = "accuracy",
                        .columns = {sums, std::vector<double>(sums.size(), 1)},
                        .names = {"hits", "count"}});
  for (size_t i = 0; i < sums.size(); ++i) set.sources.push_back(std::to_string(i));
  run.samples.push_back(std::move(set));
}

}  // namespace

double Scenario::truth() const {
  return shape == SeedShape::failing ? -failing_share * failed_by : 0;
}

std::vector<Scenario> scenarios() {
  std::vector<Scenario> all;
  const std::vector<std::pair<SeedShape, std::string>> shapes = {
      {SeedShape::normal, "normal"},
      {SeedShape::two_peaked, "two-peaked"},
      {SeedShape::heavy_tailed, "heavy-tailed"}};
  for (const int64_t seeds : {3, 5, 6, 10}) {
    const auto named = [&](const std::string& name) {
      return fmt::format("{} seeds, {}", seeds, name);
    };
    for (const auto& [shape, name] : shapes) {
      all.push_back({named(name + ", seeds vary more"), seeds, shape, 0.04, 0.05, 0.1});
      all.push_back({named(name + ", samples vary more"), seeds, shape, 0.005, 0.15, 0.1});
    }
    all.push_back({.name = named("only residuals vary"), .seeds = seeds, .rest = 0.1});
    all.push_back({.name = named("accuracies near 1"), .seeds = seeds, .hits = true, .rate = 0.98});
    if (seeds == 6) continue;
    all.push_back({named("one of five fails"), seeds, SeedShape::failing, 0.01, 0.05, 0.1});
    all.back().least_coverage = 0;
  }
  return all;
}

std::vector<RunRecord> drawn_runs(const Scenario& scenario, const Draw& draw) {
  Generator generator(draw.stream);
  std::vector<RunRecord> runs;
  for (int64_t encoding = 0; encoding < draw.encodings; ++encoding) {
    const std::string name(1, static_cast<char>('a' + encoding));
    const size_t first = runs.size();
    for (int64_t seed = 0; seed < scenario.seeds; ++seed) {
      runs.push_back(empty_run(draw, name, seed));
    }
    for (int64_t factor = 1; factor <= draw.sizes; ++factor) {
      const bool fails = scenario.shape == SeedShape::failing && encoding == 0;
      const auto values = drawn(scenario, fails, generator);
      for (size_t seed = 0; seed < values.size(); ++seed) {
        add_size(runs[first + seed], factor, values[seed]);
      }
    }
  }
  return runs;
}

std::vector<std::vector<std::string>> markdown_rows(const std::string& table) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ")) continue;
    std::vector<std::string>& cells = rows.emplace_back();
    for (size_t begin = 2; begin < line.size();) {
      const size_t end = std::min(line.find(" |", begin), line.size());
      cells.push_back(line.substr(begin, end - begin));
      begin = end + 3;
    }
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

}  // namespace relbias::results
