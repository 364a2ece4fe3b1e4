// SPDX-License-Identifier: Apache-2.0
// tests: runs of every modality with everything that a report draws.
#pragma once

#include <map>

#include "results/report/report.h"
#include "tests/results/sampled_runs.h"

namespace relbias::results {

inline Monitor monitor(const std::string& name, std::vector<std::string> dimensions,
                       std::vector<int64_t> shape, std::vector<double> values) {
  return {name, std::move(dimensions), std::move(shape), std::move(values)};
}

// Two sizes, one layer, one head, distances 0, 1, 2-3, 4+ and none.
inline std::vector<Monitor> watched() {
  return {monitor("size", {"size"}, {2}, {32, 256}),
          monitor("distance", {"distance"}, {5}, {0, 1, 2, 4, -1}),
          monitor("share", {"size", "layer", "head", "distance"}, {2, 1, 1, 5},
                  {0.4, 0.3, 0.2, 0.1, 0, 0.1, 0.2, 0.3, 0.4, 0})};
}

// Scores of two heads over these axes; rows without a place carry names.
inline LearnedTable learned(const std::string& relation, const std::vector<std::string>& axes,
                            const std::vector<double>& places,
                            const std::vector<std::string>& labels = {}) {
  const auto rows = static_cast<int64_t>(places.size() / axes.size());
  LearnedTable table{"0",  "score", relation, {"head", "relation"}, {2, rows}, {},
                     axes, places,  labels};
  for (int64_t i = 0; i < 2 * rows; ++i)
    table.values.push_back(0.1F * static_cast<float>(i - rows));
  return table;
}

// What an encoding with a table learned, by modality.
inline std::vector<LearnedTable> learned_in(const std::string& modality) {
  const double none = not_given;
  if (modality == "image") {
    return {learned("grid", {"dy", "dx"}, {-1, -1, -1, 0, 0, -1, 0, 0, none, none},
                    {"", "", "", "", "cls->patch"})};
  }
  if (modality == "graph") {
    return {learned("hops", {"hops"}, {0, 1, 2, none}, {"", "", "", "unreachable"})};
  }
  if (modality == "code") {
    return {learned("tree", {"up", "down"}, {0, 0, 0, 1, 1, 0, 1, 1})};
  }
  return {learned("token", {"offset"}, {-2, -1, 0, 1, 2})};
}

/// Three seeds of four encodings in one task; alibi beats rope past the training size.
inline std::vector<RunRecord> modality_runs(const std::string& modality, const std::string& task) {
  std::vector<RunRecord> runs;
  for (int64_t seed = 0; seed < 3; ++seed) {
    const double noise = 0.002 * static_cast<double>(seed);
    runs.push_back(
        table_run("none", seed, {{1, 0.96 + noise}, {2, 0.7}, {4, 0.6}, {8, 0.5 + noise}}));
    runs.push_back(
        table_run("alibi", seed, {{1, 0.98 + noise}, {2, 0.97}, {4, 0.96}, {8, 0.9 + noise}}));
    runs.push_back(
        table_run("rope", seed, {{1, 0.99 + noise}, {2, 0.8}, {4, 0.6}, {8, 0.55 + noise}}));
    runs.push_back(
        table_run("table", seed, {{1, 0.985 - noise}, {2, 0.9}, {4, 0.8}, {8, 0.7 + noise}}));
  }
  for (RunRecord& run : runs) {
    run.study = modality + "-study";
    run.modality = modality;
    run.task = task;
    run.run_id += "-" + modality;
    keep_samples(run, 0.02);
    run.commit = "173ead3";
    run.versions = {{"libtorch", "2.11.0"}};
    run.device = "cpu";
    run.backend = "reference";
    run.threads = 1;
    run.train.clear();
    for (int64_t step = 10; step <= 300; step += 10) {
      run.train.push_back({step, 3.0 / static_cast<double>(step), 0.001, 1,
                           run.encoding == "none" ? 2000.0 : 1500.0, 0, 1});
    }
  }
  return runs;
}

inline std::vector<RunRecord> report_runs() {
  std::vector<RunRecord> runs;
  for (const auto& [modality, task] :
       std::map<std::string, std::string>{{"text", "flip-flop"},
                                          {"image", "digits"},
                                          {"audio", "echo-delay"},
                                          {"graph", "csl"},
                                          {"code", "bracket-match"}}) {
    const std::vector<RunRecord> some = modality_runs(modality, task);
    runs.insert(runs.end(), some.begin(), some.end());
  }
  return runs;
}

inline ReportInput report_input(std::vector<RunRecord> runs) {
  ReportInput input{.title = "runs <of> a test", .runs = std::move(runs)};
  input.studies.push_back({.name = "text-study",
                           .question = "Which?",
                           .claims = {{.better = "alibi", .worse = "rope", .at = 8, .why = "decay"},
                                      {.better = "rope", .worse = "alibi", .at = 8},
                                      {.better = "alibi", .worse = "fire", .at = 8}}});
  input.problems = {"half.h5: cut short"};
  input.plotly = "/* Plotly */";
  input.read_whole = [](const RunRecord& run) {
    RunRecord whole = run;
    whole.attention = watched();
    if (run.encoding == "table") whole.tables = learned_in(run.modality);
    return whole;
  };
  return input;
}

}  // namespace relbias::results
