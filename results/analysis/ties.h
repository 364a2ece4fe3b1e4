// SPDX-License-Identifier: Apache-2.0
// results/analysis: the best of each column of a table, and what pairs of seeds do not tell from
// it.
#pragma once

#include "results/analysis/comparison.h"

namespace relbias::results {

/// Marks the best cells, where the metric has a direction and there are rivals.
void mark_best(Comparison& comparison, Notes& notes);

}  // namespace relbias::results
