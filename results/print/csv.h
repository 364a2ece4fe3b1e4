// SPDX-License-Identifier: Apache-2.0
// results/print: tidy comma-separated values, in full precision.
#pragma once

#include <string>
#include <vector>

#include "results/analysis/standings.h"
#include "results/record.h"

namespace relbias::results {

/// One row a run, size and metric (empty: every one); a run without results is a row of its own.
std::string as_csv(const std::vector<RunRecord>& runs, const std::string& metric);

/// One row an encoding and column.
std::string as_csv(const Standings& standings);

}  // namespace relbias::results
