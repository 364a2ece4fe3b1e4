// SPDX-License-Identifier: Apache-2.0
// results/analysis: encodings against sizes on one task: the cells of a table and what has to be
// said about them, before any formatting.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "results/analysis/columns.h"
#include "results/analysis/grouping.h"
#include "results/analysis/notes.h"
#include "results/analysis/statistics.h"

namespace relbias::results {

/// What stands in a cell. All but `value` are words, never numbers.
enum class CellState { missing, value, not_finite, undefined, diverged, failed, running };

struct Cell {
  CellState state = CellState::missing;
  Summary summary;                   // over seeds, of a value
  std::map<int64_t, double> values;  // by seed
  bool best = false;                 // of its column, or tied with it
  std::string mark;                  // of its note
};

/// How far an encoding carries: the largest size up to which the metric keeps 90 % of what it was
/// at the training size (a metric that falls: 1/0.9 of it).
struct Reach {
  double factor = not_given;  // NaN: not solved or not measured at the training size
  bool at_least = false;      // no larger size was evaluated
};

struct ComparisonRow {
  std::string label;
  std::string label_mark;  // † where the training size was not solved
  const Repetitions* repetitions = nullptr;
  int64_t runs = 0;
  int64_t done = 0;
  std::string runs_mark;  // of the note about runs that are not done
  int64_t parameters_position = 0;
  double tokens_per_second = not_given;  // of training, mean over seeds
  double speed = not_given;              // that, relative to the row of `none`
  Reach reach;
  std::vector<Cell> cells;

  bool solved() const { return label_mark.empty(); }
  /// Whether any seed diverged: what the others reached is then no result to rank.
  bool diverged() const;
};

struct Comparison {
  std::string title;
  std::string condition;  // of all columns; empty: plain sizes and bins
  std::string metric;
  std::string better;              // "lower", "higher" or empty
  std::vector<std::string> facts;  // metric and its direction, training size, ...
  std::vector<ComparisonColumn> columns;
  std::vector<ComparisonRow> rows;
  std::vector<Note> notes;
};

/// A group's comparisons in one metric, one for each set of columns (columns.h). `better` is
/// "lower", "higher" or empty (no best is marked). Points into the group.
std::vector<Comparison> compare(const TaskRuns& group, const std::string& metric,
                                const std::string& better);

/// The notes to which the labels of rows point, † and ‡.
std::vector<Note> notes_on_rows(const Comparison& comparison);

/// The differences of two cells over the seeds that both have, positive where `left` is better.
std::vector<double> paired_differences(const Cell& left, const Cell& right,
                                       const std::string& better);

/// The values of a cell, one a seed.
std::vector<double> cell_values(const Cell& cell);

/// The word for a cell that holds no number: "undefined", "diverged", "-", ...
std::string word_for(CellState state);

}  // namespace relbias::results
