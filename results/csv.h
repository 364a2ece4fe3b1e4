// SPDX-License-Identifier: Apache-2.0
// results: tidy comma-separated values, in full precision.
#pragma once

#include <string>
#include <vector>

#include "results/record.h"
#include "results/standings.h"

namespace relbias {

/// One row a run, size and metric (empty: every one); a run without results is a row of its own.
std::string as_csv(const std::vector<RunRecord>& runs, const std::string& metric);

/// One row an encoding and column.
std::string as_csv(const Standings& standings);

}  // namespace relbias
