// SPDX-License-Identifier: Apache-2.0
// results/store: run records in their files. schema.md describes the files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/record.h"

namespace relbias::results {

/// Puts the record in place of `file`, completely or not at all (write_contents in store.h). A
/// checkpoint is kept only while the run is not finished. Throws StoreError for a record that
/// breaks a rule of its own (schema.h) and when writing fails.
void write_run(const std::filesystem::path& file, const RunRecord& run);

/// What of a run to read: tables need only `numbers`, all but learned tables, monitors, weights,
/// checkpoint, samples by position and where samples are from. Of each metric they then have the
/// samples with a target of its question alone.
enum class RunParts { all, numbers };

/// Throws StoreError, naming the file and what is wrong with it, if it is missing, empty, cut
/// short, damaged, no HDF5, no run, or of another schema version.
RunRecord read_run(const std::filesystem::path& file, RunParts parts = RunParts::all);

struct RunsRead {
  std::vector<RunRecord> runs;
  std::vector<std::string> problems;  // one message for each file that could not be read
};

/// The runs under a folder, those that can be read.
/// Throws StoreError as find_runs does, and if no run can be read.
RunsRead read_runs(const std::filesystem::path& folder, RunParts parts = RunParts::numbers);

}  // namespace relbias::results
