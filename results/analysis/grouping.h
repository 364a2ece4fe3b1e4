// SPDX-License-Identifier: Apache-2.0
// results/analysis: which runs belong in one table, and which are repetitions of one row.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "results/record.h"

namespace relbias::results {

/// The name without options and relation: `rope` of `rope axes=axial`; several relations stay as
/// they stand, `t5@token + table@tree`.
std::string encoding_name(const std::string& encoding);

/// The settings of a canonical config, `model.layers` and `2`, in its order.
std::vector<std::pair<std::string, std::string>> settings_of(const std::string& config);

/// Runs that differ in their seed only.
struct Repetitions {
  std::string label;  // "t5 num_buckets=8"; "@relation" and differing settings where rows need them
  std::vector<std::pair<std::string, std::string>> variant;  // the differing settings alone
  std::vector<const RunRecord*> runs;
};

/// Whether two rows can be compared: what tells either from others of its encoding is the same in
/// both.
bool same_settings(const Repetitions& one, const Repetitions& other);

/// The runs of one study on one task and dataset.
struct TaskRuns {
  std::vector<Repetitions> rows;  // `none` first, then by label
  int64_t copies = 0;             // files of runs that were there already, and not counted again
  const RunRecord& example() const { return *rows.front().runs.front(); }
};

/// The direction of a metric, "lower" or "higher", as a run of the group states it for its own
/// metric; empty where none does.
std::string better_of(const TaskRuns& group, const std::string& metric);

/// Sorted by study, task and dataset. The groups point into `runs`.
std::vector<TaskRuns> group_runs(const std::vector<RunRecord>& runs);

}  // namespace relbias::results
