// SPDX-License-Identifier: Apache-2.0
// experiments/launch: the runs of studies, each in a process of its own, several side by side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/study/plan.h"

namespace relbias::experiments {

struct RunnerOptions {
  int64_t jobs = 1;     // runs side by side
  int64_t threads = 1;  // of each
  std::string device = "auto";
  double checkpoint_seconds = 60;
  bool fail_fast = false;        // stop at the first failed run
  bool continue_anyway = false;  // also what another program began
};

/// How the runs of one call ended.
struct LaunchResult {
  int64_t ok = 0;        // done now
  int64_t diverged = 0;  // now
  int64_t failed = 0;
  int64_t skipped = 0;  // finished before
  int64_t busy = 0;     // being run by another process
  int64_t not_run = 0;  // stopped before their end, or never started
  bool interrupted = false;

  /// `2 ok, 1 failed`
  std::string summary() const;
};

/// Runs what is not finished. A run that fails, crashes or is killed is recorded as failed, and the
/// others go on; where a record cannot be written, as on a full disk, all stop at once. One
/// that another process runs is left to it, and is no failure. One that was killed keeps its last
/// snapshot and continues from it the next time. SIGINT or SIGTERM let every active run finish its
/// step and save; a second one ends them at once, and they continue from their last snapshot.
LaunchResult run_all(const std::vector<PlannedRun>& runs, const RunnerOptions& options);

}  // namespace relbias::experiments
