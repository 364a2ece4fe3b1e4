// SPDX-License-Identifier: Apache-2.0
// results/store: many runs in one HDF5 file, for pandas.
#pragma once

#include <filesystem>
#include <vector>

#include "results/record.h"

namespace relbias::results {

/// Writes three tables: `/runs`, one row a run with every attribute of its file; `/evaluation` and
/// `/train`, the rows of all runs with the `run_id` in front. Learned tables and monitors stay in
/// the files of the runs. Throws StoreError.
void write_merged(const std::filesystem::path& file, const std::vector<RunRecord>& runs);

}  // namespace relbias::results
