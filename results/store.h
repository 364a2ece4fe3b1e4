// SPDX-License-Identifier: Apache-2.0
// results: run records to HDF5 files and back. schema.md describes the files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/record.h"
#include "results/run_file.h"

namespace relbias {

// Puts the record in place of `file` (replace_file: complete or not at all). A checkpoint is kept
// only while the run is `running`. Text that is not UTF-8 gets U+FFFD where it is broken, and for
// each NUL. Throws StoreError for a record that breaks a rule of its own (schema.h) and when
// writing fails.
void write_run(const std::filesystem::path& file, const RunRecord& run);

// What of a run to read: tables need only `numbers`, all but learned tables, monitors and
// checkpoint.
enum class RunParts { all, numbers };

// Throws StoreError, naming the file and what is wrong with it, if it is missing, empty, cut short,
// damaged, no HDF5, no run, or of another schema version.
RunRecord read_run(const std::filesystem::path& file, RunParts parts = RunParts::all);

struct RunsRead {
  std::vector<RunRecord> runs;
  std::vector<std::string> problems;  // one message for each file that could not be read
};

// The runs under a folder, those that can be read.
// Throws StoreError as find_runs does, and if no run can be read.
RunsRead read_runs(const std::filesystem::path& folder, RunParts parts = RunParts::numbers);

// Of the library that runs, "1.10.8".
std::string hdf5_version();

}  // namespace relbias
