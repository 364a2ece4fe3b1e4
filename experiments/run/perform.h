// SPDX-License-Identifier: Apache-2.0
// experiments/run: one run from its beginning, or from where it stopped, to its record.
#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "experiments/config/config.h"
#include "results/record.h"

namespace relbias::experiments {

/// What a run is to its study.
struct RunRole {
  std::string name = "run";  // or trial
  std::string tuning{};      // as the record has it
};

struct RunRequest {
  std::string study;
  std::filesystem::path file;  // of the record
  RunConfig config;
  RunRole role{};
  std::string device = "auto";     // auto | cpu | cuda
  int64_t threads = 1;             // a run that continues keeps the number it began with
  double checkpoint_seconds = 60;  // between two snapshots of a running run
  bool continue_anyway = false;    // what another program began, or what began on other data
};

/// Who looks on. All of it is called from the thread that performs the run.
struct Watcher {
  std::function<void(int64_t step, double loss)> on_step;
  std::function<void(int64_t size)> on_evaluation;
  /// Told once where a run goes on from a snapshot.
  std::function<void(int64_t step)> on_continue = [](int64_t) {};
  std::function<bool()> wants_stop;  // asked after every step and before every evaluation batch
};

enum class RunEnd { done, diverged, interrupted };

/// Performs a run and keeps its record in the file. A finished run is left alone, one that was
/// interrupted, or failed behind a snapshot, continues bit-identically from its snapshot, anything
/// else starts at step 0. Throws RunRefused, and leaves the file as it is, where the run may not be
/// written at all; StoreError, and leaves the last snapshot, where it cannot be written any more;
/// for any other failure std::runtime_error with the text that the record then holds.
RunEnd perform(const RunRequest& request, const Watcher& watcher);

/// The run is being written by another process (RunBusy), its file is damaged or holds another run,
/// or it cannot be continued here: another program, other data or another device began it.
struct RunRefused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The run is being written by another process, which is no failure.
struct RunBusy : RunRefused {
  using RunRefused::RunRefused;
};

/// The record of a run that has not begun.
RunRecord new_record(const std::string& study, const RunConfig& config, const RunRole& role);

/// Now, as `2026-01-31T12:00:00Z`.
std::string utc_time();

}  // namespace relbias::experiments
