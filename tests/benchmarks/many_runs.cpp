// SPDX-License-Identifier: Apache-2.0
// tests/benchmarks: a folder of many runs with test samples, as a long study leaves it, for
// tests/benchmarks/tables to time `table` and `report` on.
//
//   benchmark_many_runs FROM TO 2000
//
// Runs are those in FROM, over and over with other seeds: the samples of each are drawn anew from
// the first one's, with replacement, so that files are as large and as densely packed. No weights.
#include <fmt/format.h>

#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <iostream>

#include "results/metrics/metric.h"
#include "results/store/runs.h"

namespace relbias::results {
namespace {

using Generator = boost::random::mt19937_64;

void draw_again(Columns& columns, const std::vector<size_t>& drawn) {
  for (std::vector<double>& column : columns) {
    const std::vector<double> first = column;
    for (size_t i = 0; i < column.size(); ++i) column[i] = first[drawn[i]];
  }
}

// The rows of the evaluation stay as they are: this folder is there to be timed, not believed.
void draw_samples(RunRecord& run, Generator& generator) {
  for (SampleSet& set : run.samples) {
    const boost::random::uniform_int_distribution<size_t> any(0, set.sources.size() - 1);
    std::vector<size_t> drawn(set.sources.size());
    for (size_t& one : drawn) one = any(generator);
    for (SampleScores& scores : set.scores) {
      draw_again(scores.columns, drawn);
      draw_again(scores.guesses, drawn);
    }
  }
}

void write_many(const std::filesystem::path& from, const std::filesystem::path& to, int64_t count) {
  const std::vector<RunRecord> runs = read_runs(from, RunParts::all).runs;
  Generator generator(0);
  for (int64_t i = 0; i < count; ++i) {
    RunRecord run = runs[static_cast<size_t>(i) % runs.size()];
    run.run_id = fmt::format("{:012x}", i);
    run.seed = i / static_cast<int64_t>(runs.size());
    run.study = "many";
    run.weights.clear();
    draw_samples(run, generator);
    write_run(to / "many" / (run.run_id + ".h5"), run);
  }
}

}  // namespace
}  // namespace relbias::results

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "benchmark_many_runs FROM TO COUNT\n";
    return 2;
  }
  relbias::results::write_many(arguments[1], arguments[2], std::stoll(arguments[3]));
}
