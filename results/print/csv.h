// SPDX-License-Identifier: Apache-2.0
// results/print: tidy comma-separated values, in full precision.
#pragma once

#include <string>
#include <vector>

#include "results/analysis/across/standings.h"
#include "results/record.h"

namespace relbias::results {

/// The text as a cell (RFC 4180, with line feeds): in quotes where it has to be.
std::string csv_cell(const std::string& text);

/// One row a run, size and metric (empty: every one); a run without results is a row of its own.
/// `label` is the row of tables that it belongs to, of `seeds` runs; a column for each setting that
/// is not the same in all runs; low and high are the 95 % interval over its test samples.
std::string as_csv(const std::vector<RunRecord>& runs, const std::string& metric);

/// One row a table, encoding and column.
std::string as_csv(const std::vector<Standings>& tables);

}  // namespace relbias::results
