// SPDX-License-Identifier: Apache-2.0
// experiments/study: what is to be run, checked to the last setting before anything starts.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/run/experiment.h"
#include "experiments/study/study.h"

namespace relbias::experiments {

using ChoicesOf = std::map<std::string, Choices>;  // by study

struct PlannedRun {
  std::string study;
  Run run;
  Cost cost;
  std::string dataset_hash;    // empty: the task makes its own samples
  std::string dataset_report;  // likewise
  std::filesystem::path file;  // of its record
  bool finished = false;       // the file holds it, done or diverged
  bool begun = false;          // the file holds a part of it, or that it failed
  bool binned = false;         // its evaluation sizes are upper bounds of bins
};

/// One part of `of` equal ones, counted from 1.
struct Shard {
  int64_t part = 1;
  int64_t of = 1;
};
/// Reads `2/4`.
Shard parse_shard(const std::string& text);

/// Every run of the studies, with its data read and its model built once, so that what can be known
/// to fail is known now. Throws InputError, naming study and run.
/// Runs without a choice of what is to be tuned are open.
std::vector<PlannedRun> plan(const std::vector<Study>& studies, const Selection& selection,
                             const Shard& shard, const ChoicesOf& choices = {});

/// Likewise every trial.
std::vector<PlannedRun> plan_trials(const std::vector<Study>& studies, const Selection& selection,
                                    const Shard& shard);

/// Gives each run the file that it has or would have, and finds out which are begun or finished.
void find(std::vector<PlannedRun>& runs, const std::filesystem::path& out);

/// Gives each run its file `<out>/<study>/<run id>.h5` and finds out which are finished. Throws
/// InputError where the folder cannot be written or a finished run was made from other data.
void place(std::vector<PlannedRun>& runs, const std::filesystem::path& out);

/// Puts the study's file beside its runs, `<out>/<study>/<study>.toml`, so that tables and reports
/// know what it asked and claimed. Throws InputError where it cannot be read, or where another
/// study of the same name has its text there.
void keep_text(const Study& study, const std::filesystem::path& out);

/// Adds the trials of a study, and the runs that are not open, to the plan beside them
/// (results/store/study_plan.h), whichever shard does them, so that tables know of those that never
/// began.
void keep_plan(const Study& study, const Selection& selection, const ChoicesOf& choices,
               const std::filesystem::path& out);

/// How many files in the folders of these runs are of an earlier schema: no table draws conclusions
/// from them, and their runs are repeated.
int64_t earlier_files(const std::vector<PlannedRun>& runs);

/// The table that --dry-run prints.
std::string plan_table(const std::vector<PlannedRun>& runs);

}  // namespace relbias::experiments
