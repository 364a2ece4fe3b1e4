// SPDX-License-Identifier: Apache-2.0
// results: one run as text.
#pragma once

#include <string>

#include "results/record.h"

namespace relbias {

/// What a run was, how it ended, how training went, every evaluation, what it stored, and its
/// config.
std::string render_run(const RunRecord& run);

}  // namespace relbias
