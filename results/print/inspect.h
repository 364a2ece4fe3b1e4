// SPDX-License-Identifier: Apache-2.0
// results/print: one run as text.
#pragma once

#include <string>

#include "results/record.h"

namespace relbias::results {

/// What a run was, how it ended, how training went, every evaluation, what it stored, and its
/// config.
std::string render_run(const RunRecord& run);

}  // namespace relbias::results
