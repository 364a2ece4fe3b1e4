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
#include "results/inference/inference.h"

namespace relbias::results {

/// What stands in a cell. All but `value` are words, never numbers.
enum class CellState { missing, value, not_finite, undefined, diverged, failed, running, planned };

struct Cell {
  CellState state = CellState::missing;
  Summary summary;                   // over seeds, of a value
  std::map<int64_t, double> values;  // by seed
  SampleValues samples;              // of which the values are made; empty: no verdict on it
  SampleValues guessed;              // the trivial rule's on the same samples; empty: none known
  std::string unit;                  // what a sample is
  Inference inference;               // of the value: its interval; of no seed without samples
  bool guessing = false;             // not above the trivial rule
  bool uneven = false;               // its seeds vary much more than those of the other rows
  bool best = false;                 // of its column, or not told from it
  std::vector<std::string> remarks;  // of its note
  std::string mark;                  // likewise
};

/// How far an encoding carries: the largest size up to which the metric keeps 90 % of what it was
/// at the training size (a metric that falls: 1/0.9 of it).
struct Reach {
  double factor = not_given;  // NaN: no better than guessing, or not measured, at the training size
  bool at_least = false;      // no larger size was evaluated
};

struct ComparisonRow {
  std::string label;
  std::string label_mark;  // † where the training size was not solved
  const Repetitions* repetitions = nullptr;
  std::string chosen;   // in tuning
  int64_t planned = 0;  // seeds
  int64_t runs = 0;     // of them that were begun
  int64_t done = 0;
  int64_t failing = 0;    // diverged or failed: a result, and no better one than any other row's
  std::string runs_mark;  // of the note about runs that are not done
  int64_t parameters_position = 0;
  double tokens_per_second = not_given;  // of training, mean over seeds
  double speed = not_given;              // that, relative to the row of `none`
  Reach reach;
  std::vector<Cell> cells;

  /// Whether a seed diverged or failed: what the others reached is then no result to rank.
  bool diverged() const { return failing > 0; }
  /// Whether a value stands there for every planned seed.
  bool is_complete(const Cell& cell) const {
    return cell.state == CellState::value && cell.summary.count >= planned;
  }
};

struct Comparison {
  std::string title;
  std::string condition;  // of all columns; empty: plain sizes and bins
  std::string metric;
  std::string better;              // "lower", "higher" or empty
  std::vector<std::string> facts;  // metric and its direction, training size, ...
  std::vector<ComparisonColumn> columns;
  std::vector<double> guessing;  // by column: the trivial rule's value, else chance; NaN: unknown
  std::vector<SeedPool> pools;   // by column
  std::vector<ComparisonRow> rows;
  std::vector<Note> notes;
  std::vector<Note> about;  // of them those that say how it was measured

  /// 1 where higher is better, -1 where lower is, 0 where no run says.
  int direction() const { return better == "higher" ? 1 : better == "lower" ? -1 : 0; }
};

/// A group's comparisons in one metric, one for each set of columns (columns.h). `better` is
/// "lower", "higher" or empty (no best is marked). Points into the group.
std::vector<Comparison> compare(const TaskRuns& group, const std::string& metric,
                                const std::string& better);

/// What one row is better by than another in a column, with the spread of seeds that the column
/// lends. Of no seed where the two have no samples or seeds in common.
Inference better_by(const Comparison& comparison, size_t column, const ComparisonRow& row,
                    const ComparisonRow& other);

/// For a table of the same rows: the notes to which their labels point, † and ‡, and how it was
/// measured.
std::vector<Note> notes_on_rows(const Comparison& comparison);

/// The word for a cell that holds no number: "undefined", "diverged", "-", ...
std::string word_for(CellState state);

}  // namespace relbias::results
