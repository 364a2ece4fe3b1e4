// SPDX-License-Identifier: Apache-2.0
// experiments/run/record: by what program, on what machine and data a run is made.
#pragma once

#include <string>
#include <vector>

#include "results/record.h"

namespace relbias::experiments {

/// Commit, uncommitted changes, versions and CPU of this program, here and now.
void stamp(RunRecord& record);

/// What tells the program and data that began a run from those that would go on with it, one text
/// each: `commit 37a9dc8, not 1b2c3d4`. A run goes on bit-identically only where there is nothing.
/// Another model of CPU is no reason to refuse, but rounds otherwise.
std::vector<std::string> differences(const RunRecord& begun, const RunRecord& here);

/// Whether both ran on one model of CPU, as far as it is known.
bool is_same_cpu(const RunRecord& begun, const RunRecord& here);

}  // namespace relbias::experiments
