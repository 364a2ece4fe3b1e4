// SPDX-License-Identifier: Apache-2.0
// results: encodings against sizes on one task: the cells of a table and what has to be said about
// them, before any formatting.
#pragma once

#include <string>
#include <vector>

#include "results/grouping.h"
#include "results/statistics.h"

namespace relbias {

/// What stands in a cell. All but `value` are words, never numbers.
enum class CellState { missing, value, not_finite, undefined, diverged, failed, running };

struct Cell {
  CellState state = CellState::missing;
  Summary summary;    // over seeds, of a value
  bool best = false;  // of its column
  std::string mark;   // of its note
};

struct ComparisonRow {
  std::string label;
  std::string label_mark;  // † where the training size was not solved
  int64_t runs = 0;
  int64_t done = 0;
  std::string runs_mark;  // of the note about runs that are not done
  int64_t parameters_position = 0;
  double speed = not_given;  // training tokens/s relative to the row of `none`
  std::vector<Cell> cells;
};

struct ComparisonColumn {
  std::string heading;        // "2x", "depth 16"
  double factor = not_given;  // of the training size
  int64_t size = 0;
  std::string condition;
  double chance = not_given;
};

struct Note {
  std::string mark;  // empty: of the whole table
  std::string text;
};

struct Comparison {
  std::string title;
  std::vector<std::string> facts;  // metric and its direction, training size, ...
  std::vector<ComparisonColumn> columns;
  std::vector<ComparisonRow> rows;
  std::vector<Note> notes;
};

/// A group's comparison in one metric: a column a size and a column a bin (a condition without a
/// factor). Parts of a size (a condition with a factor: positions 1-16 at 8x) are left to the csv,
/// unless there is nothing else: then a comparison a size. `better` is "lower", "higher" or empty
/// (no best is marked).
std::vector<Comparison> compare(const TaskRuns& group, const std::string& metric,
                                const std::string& better);

}  // namespace relbias
