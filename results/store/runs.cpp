// SPDX-License-Identifier: Apache-2.0
// results/store: run records in their files.
#include "results/store/runs.h"

#include <fmt/format.h>

#include <utility>

#include "results/schema.h"
#include "results/store/run_contents.h"
#include "results/store/run_samples.h"
#include "results/store/store.h"

namespace relbias::results {

void write_run(const std::filesystem::path& file, const RunRecord& run) {
  if (const std::string problem = problem_with(run); !problem.empty()) {
    throw StoreError(fmt::format("{}: cannot store the run: {}", file.string(), problem));
  }
  if (run.schema_version != current_schema) {
    throw StoreError(fmt::format("{}: a run of schema version {} is read, but not written",
                                 file.string(), run.schema_version));
  }
  update_contents(file, contents_of(run), is_own);
}

RunRecord read_run(const std::filesystem::path& file, RunParts parts) {
  const bool all = parts == RunParts::all;
  StoredContents contents = read_contents(file, {.accept = check_schema,
                                                 .wants = all ? is_part_of_run : is_number_of_run,
                                                 .is_meant = is_own,
                                                 .unwanted_column = all ? "" : source_column});
  try {
    RunRecord run = record_of(std::move(contents));
    run.file = file.string();
    return run;
  } catch (const StoreError& error) {
    throw StoreError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

RunsRead read_runs(const std::filesystem::path& folder, RunParts parts) {
  RunsRead read;
  for (const std::filesystem::path& file : find_runs(folder)) {
    try {
      read.runs.push_back(read_run(file, parts));
    } catch (const StoreError& error) {
      read.problems.emplace_back(error.what());
    }
  }
  if (read.runs.empty()) {
    throw StoreError(fmt::format("{}: none of its {} files is a readable run; the first: {}",
                                 folder.string(), read.problems.size(), read.problems.front()));
  }
  return read;
}

}  // namespace relbias::results
