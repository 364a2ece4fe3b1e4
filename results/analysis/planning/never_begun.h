// SPDX-License-Identifier: Apache-2.0
// results/analysis/planning: runs that were planned and never began.
#pragma once

#include <vector>

#include "results/record.h"

namespace relbias::results {

/// Adds, for each study folder that runs were read from, the runs of its plan
/// (results/store/study_plan.h) that have no file there, with the status
/// `planned`, so that a table says `2 of 3 seeds`. Those of settings that no
/// run of the folder has are left out: no table shows them. Throws StoreError
/// for a damaged plan.
void add_never_begun(std::vector<RunRecord>& runs);

}  // namespace relbias::results
