// SPDX-License-Identifier: Apache-2.0
// results/analysis/across: how encodings stand against each other over several benchmark tasks:
// ranks by modality and in all, scores, probabilities of improvement.
#pragma once

#include <string>
#include <vector>

#include "results/analysis/across/score.h"
#include "results/analysis/comparison.h"
#include "results/print/sheet.h"

namespace relbias::results {

/// What tasks are gathered by: a column each.
enum class StandingsBy { modality, task, relation };

struct Standing {
  int64_t tasks = 0;         // in which the encoding has a rank; 0: `word` says why
  double rank = not_given;   // mean of its ranks in those tasks, 1 the best
  double value = not_given;  // of the metric, where the column is one task
  std::string word;          // "one seed", "undefined", "diverged", "not above guessing", "not run"
};

struct StandingsRow {
  std::string encoding;         // with its options: forms of one encoding are rivals
  std::string name;             // without them
  std::vector<Standing> cells;  // one a column
  double rank = not_given;      // mean over the columns
  int64_t columns = 0;          // in which it has a rank
  MeanScore score;              // over the tasks
};

struct Standings {
  double factor = 1;                                // of the training size
  std::vector<std::string> columns;                 // modalities, tasks or relations
  std::vector<int64_t> tasks;                       // of each column
  std::vector<StandingsRow> rows;                   // best overall rank first
  std::vector<std::vector<Improvement>> improving;  // [row][row]: of the first over the second
  std::vector<std::string> best;  // the best score and all that is not told from it; empty: nothing
  std::vector<Note> notes;        // how its tasks were measured
};

/// Ranks at `factor` times the training size, in each benchmark task's own metric; gates never
/// enter. Rows are compared on the seeds that all have. What is not above guessing shares the mean
/// of the last ranks, what diverged for any seed comes after it; with fewer than two seeds there is
/// no rank. A table ranks encodings over the tasks that all of them have: another set of tasks is
/// another table, the largest first. Where nothing can be ranked, one table says why.
/// Tasks that were not evaluated at that size are left out; empty: all of them were.
std::vector<Standings> standings(const std::vector<TaskRuns>& groups, StandingsBy by,
                                 double factor);

Sheet sheet_of(const Standings& standings);

/// Of every row over every other; without rows where there is nothing to compare.
Sheet improvement_sheet(const Standings& standings);

/// The gates, each on its own, with no ranks; without rows where there are none at that size.
Sheet gates_sheet(const std::vector<TaskRuns>& groups, double factor);

}  // namespace relbias::results
