// SPDX-License-Identifier: Apache-2.0
// experiments/commands: running studies, for every command that does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/launch/runner.h"

namespace CLI {
class App;
}

namespace relbias::experiments {

struct StudiesRequest {
  std::vector<std::string> studies;  // names or .toml files
  Selection selection;
  std::string out = "runs";
  std::string shard = "1/1";
  std::optional<int64_t> jobs;
  bool dry_run = false;
  bool trials_only = false;
  RunnerOptions runner;
};

/// Options that every command which runs studies has: --out, --set, --only, --device, --jobs, ...
void add_run_options(CLI::App& command, StudiesRequest& request);

/// Runs what is not finished, first the trials of what is tuned and, when all of them are finished,
/// the runs with what they chose; says how it went and returns the exit code. Throws InputError
/// before anything starts.
int run_studies(StudiesRequest& request);

}  // namespace relbias::experiments
