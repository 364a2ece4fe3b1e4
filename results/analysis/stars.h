// SPDX-License-Identifier: Apache-2.0
// results/analysis: what guesses, and the best of each column with all that is not told from it.
#pragma once

#include "results/analysis/comparison.h"

namespace relbias::results {

/// Marks cells that are not above the trivial rule on the same samples (one-sided, p <= .05), and,
/// from three rows on, rows whose standard deviation over seeds exceeds its own sampling error and
/// five times the median of the other rows'.
void judge_cells(Comparison& comparison);

/// Stars: the best mean among rows with all planned seeds, and every rival that is not told from
/// it, that is whose p times the number of pairs in the column is above .05. Where no row is told
/// from the best, none is starred. What guesses, what diverged and what has one seed has no star.
void mark_best(Comparison& comparison, Notes& notes);

}  // namespace relbias::results
