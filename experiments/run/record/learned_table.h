// SPDX-License-Identifier: Apache-2.0
// experiments/run/record: what an encoding has learned, as a record keeps it.
#pragma once

#include "experiments/model/model.h"
#include "results/record.h"

namespace relbias::experiments {

/// The values [H, R] or [H, R, D] of a learned term as float32, and for every row what it stands
/// for: its coordinates, or the name of a special id (whose coordinates are not given), and whether
/// anything attends there.
LearnedTable learned_table(const LearnedTerm& learned);

}  // namespace relbias::experiments
