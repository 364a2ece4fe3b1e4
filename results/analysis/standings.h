// SPDX-License-Identifier: Apache-2.0
// results/analysis: how encodings stand against each other over several tasks: ranks by modality
// and in all.
#pragma once

#include <string>
#include <vector>

#include "results/analysis/comparison.h"
#include "results/print/sheet.h"

namespace relbias::results {

/// What tasks are gathered by: a column each.
enum class StandingsBy { modality, task, relation };

struct Standing {
  int64_t tasks = 0;         // in which the encoding has a number; 0: `word` says why
  double rank = not_given;   // mean of its ranks in those tasks, 1 the best
  double value = not_given;  // of the metric, where the column is one task
  std::string word;          // "undefined", "diverged", "not run", "no rival"
};

struct StandingsRow {
  std::string encoding;         // its name; of several forms in one task the best one stands for it
  std::vector<Standing> cells;  // one a column
  double rank = not_given;      // mean over the columns in which it has one
  int64_t columns = 0;          // how many that are
  double score = not_given;     // interquartile mean over tasks and seeds (see below)
  Interval interval;            // of the score, bootstrapped within tasks
};

struct Standings {
  double factor = 1;                 // of the training size
  std::vector<std::string> columns;  // modalities, tasks or relations
  std::vector<int64_t> tasks;        // of each column
  std::vector<StandingsRow> rows;    // best overall rank first
};

/// Ranks at `factor` times the training size, in each task's own metric. A score is the value as a
/// share of the task's best mean value, both above chance where a chance level is known: best/value
/// for a metric that falls. What has no number is not ranked, and past the training size neither is
/// what did not solve it, nor what diverged for any seed, nor an encoding without a rival. Tasks
/// that were not evaluated at that size are left out.
Standings standings(const std::vector<TaskRuns>& groups, StandingsBy by, double factor);

Sheet sheet_of(const Standings& standings);

}  // namespace relbias::results
