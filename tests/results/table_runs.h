// SPDX-License-Identifier: Apache-2.0
// tests: runs as a sweep leaves them, with every state that a table has to show.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "results/record.h"

namespace relbias::results {

// A finished run on flip-flop, trained at 32, with an accuracy for each factor.
inline RunRecord table_run(const std::string& encoding, int64_t seed,
                           const std::map<int64_t, double>& accuracy) {
  RunRecord run;
  run.run_id = encoding + "-" + std::to_string(seed);
  run.study = "text-gates";
  run.status = RunStatus::done;
  run.settings = {{"model.layers", "2"}};
  run.modality = "text";
  run.task = "flip-flop";
  run.relation = "token";
  run.encoding = encoding;
  run.seed = seed;
  run.train_size = 32;
  run.primary_metric = "accuracy";
  run.better = "higher";
  run.ceiling = 1;
  run.parameters_position = encoding == "none" ? 0 : 128;
  run.train = {{10, 1, 0.001, 1, encoding == "none" ? 2000.0 : 1500.0, 0, 1}};
  for (const auto& [factor, value] : accuracy) {
    run.evaluation.push_back({32 * factor, static_cast<double>(factor), "", "accuracy", value, 0.01,
                              384, 0.5, true, ""});
  }
  return run;
}

inline RunRecord stopped_run(const std::string& encoding, int64_t seed, RunStatus status,
                             const std::string& message) {
  RunRecord run = table_run(encoding, seed, {});
  run.status = status;
  run.message = message;
  return run;
}

inline std::vector<RunRecord> runs_of_every_state() {
  std::vector<RunRecord> runs = {
      table_run("t5 num_buckets=8", 0, {{1, 0.99}, {2, 0.75}, {4, 0.6}, {8, 0.7}}),
      table_run("alibi", 0, {{1, 1}, {2, 0.98}, {4, 0.96}, {8, 0.94}}),
      table_run("alibi", 1, {{1, 0.98}, {2, 0.96}, {4, 0.96}, {8, 0.95}}),
      table_run("alibi", 2, {{1, 0.99}, {2, 0.97}, {4, 0.96}, {8, 0.96}}),
      table_run("none", 0, {{1, 0.5}, {2, 0.5}, {4, 0.5}, {8, 0.99}}),
      table_run("learned", 0, {{1, 0.97}}),
      table_run("rope layout=half", 0, {{1, 0.96}, {2, 0.8}, {4, not_given}, {8, 0.6}}),
      stopped_run("shaw", 0, RunStatus::diverged, "loss not finite at step 40\nfirst in block 1"),
      table_run("xpos", 0, {{1, 0.96}, {2, 0.7}, {4, 0.6}, {8, 0.55}}),
      stopped_run("xpos", 1, RunStatus::failed, "out of memory"),
      stopped_run("fire", 0, RunStatus::failed, "no such file: a & b_c"),
      stopped_run("cope", 0, RunStatus::running, ""),
  };
  for (const int64_t factor : {2, 4}) {
    runs[5].evaluation.push_back({32 * factor, static_cast<double>(factor), "", "accuracy",
                                  not_given, not_given, 0, 0.5, false, "no rows past its table"});
  }
  return runs;
}

}  // namespace relbias::results
