// SPDX-License-Identifier: Apache-2.0
// results: which runs belong in one table, and which are repetitions of one row.
#pragma once

#include <string>
#include <vector>

#include "results/record.h"

namespace relbias {

/// Runs that differ in their seed only.
struct Repetitions {
  std::string label;  // "t5 num_buckets=8"; "@relation" and differing settings where rows need them
  std::string variant;  // the differing settings alone, "model.layers=2"
  std::vector<const RunRecord*> runs;
};

/// The runs of one study on one task and dataset.
struct TaskRuns {
  std::vector<Repetitions> rows;  // `none` first, then by label
  int64_t copies = 0;             // files of runs that were there already, and not counted again
  const RunRecord& example() const { return *rows.front().runs.front(); }
};

/// Sorted by study, task and dataset. The groups point into `runs`.
std::vector<TaskRuns> group_runs(const std::vector<RunRecord>& runs);

}  // namespace relbias
