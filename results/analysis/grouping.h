// SPDX-License-Identifier: Apache-2.0
// results/analysis: which runs belong in one table, and which are repetitions of one row.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "results/analysis/settings.h"
#include "results/record.h"

namespace relbias::results {

/// The name without options and relation: `rope` of `rope axes=axial`; of several encodings, and in
/// files of schema 1, the label as it stands, `t5@token + table@tree`.
std::string encoding_name(const RunRecord& run);

/// Runs that differ in their seed only.
struct Repetitions {
  std::string label;  // "t5 num_buckets=8"; "@relation" and differing settings where rows need them
  std::string form;   // the same without the relation
  std::vector<std::pair<std::string, std::string>> variant;  // the differing settings alone
  std::vector<const RunRecord*> runs;
};

/// Whether two rows of a table differ in nothing but encoding and relation: rows may also differ in
/// `length_scale`.
bool same_settings(const Repetitions& one, const Repetitions& other);

/// The runs of one study on one task and dataset in one setting, and so on the same data. Rows
/// differ in encoding, relation and `length_scale`: they are rivals.
struct TaskRuns {
  std::vector<Repetitions> rows;                           // `none` first, then by label
  std::vector<std::pair<std::string, std::string>> apart;  // what tells it from other settings
  int64_t copies = 0;  // files of runs that were there already, and not counted again
  const RunRecord& example() const { return *rows.front().runs.front(); }
  bool is_gate() const { return example().task_kind == "gate"; }
};

/// The direction of a metric, "lower" or "higher", as a run of the groups states it for its own
/// metric; empty where none does.
std::string better_of(std::span<const TaskRuns> groups, const std::string& metric);
inline std::string better_of(const TaskRuns& group, const std::string& metric) {
  return better_of(std::span(&group, 1), metric);
}

/// Sorted by study, task, dataset and setting; trials are left out. The groups point into `runs`.
std::vector<TaskRuns> group_runs(const std::vector<RunRecord>& runs);

}  // namespace relbias::results
