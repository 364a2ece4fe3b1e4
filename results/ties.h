// SPDX-License-Identifier: Apache-2.0
// results: the best of each column of a table, and what pairs of seeds do not tell from it.
#pragma once

#include "results/comparison.h"

namespace relbias {

/// Marks the best cells, where the metric has a direction and there are rivals.
void mark_best(Comparison& comparison, Notes& notes);

}  // namespace relbias
