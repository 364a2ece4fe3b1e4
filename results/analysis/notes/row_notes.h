// SPDX-License-Identifier: Apache-2.0
// results/analysis/notes: what is said about a row: its seeds, and whether its training size was
// solved.
#pragma once

#include "results/analysis/comparison.h"

namespace relbias::results {

/// How many seeds a row was meant to have.
int64_t planned_seeds(const Repetitions& row, const TaskRuns& group);

/// "diverged in 1 of 3: seed 1 diverged (loss not finite at step 40); seed 2 running, or could not
/// be written"; empty where every run is done.
std::string note_on_runs(const ComparisonRow& row);

/// Marks with † rows whose primary metric at the training size is below the task's threshold, .95
/// of its ceiling, and lists their values in a note; with ‡ those that have no number there. It is
/// a note and excludes nothing.
void mark_unsolved(Comparison& comparison, Notes& notes);

}  // namespace relbias::results
