// SPDX-License-Identifier: Apache-2.0
// tests: what a comparison of runs says, found by its labels.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "results/analysis/comparison.h"

namespace relbias::results {

// Of runs that make one table.
inline Comparison comparison_of(const std::vector<RunRecord>& runs) {
  const std::vector<TaskRuns> groups = group_runs(runs);
  EXPECT_EQ(groups.size(), 1);
  const RunRecord& run = groups[0].example();
  return compare(groups[0], run.primary_metric, run.better).at(0);
}

inline const ComparisonRow& row_of(const Comparison& comparison, const std::string& label) {
  const auto row = std::ranges::find(comparison.rows, label, &ComparisonRow::label);
  if (row == comparison.rows.end()) throw std::runtime_error("no row " + label);
  return *row;
}

inline std::string note_of(const Comparison& comparison, const std::string& mark) {
  const auto note = std::ranges::find(comparison.notes, mark, &Note::mark);
  return note == comparison.notes.end() ? "" : note->text;
}

}  // namespace relbias::results
