// SPDX-License-Identifier: Apache-2.0
// results/print: trials, by which settings were chosen.
#pragma once

#include <string>
#include <vector>

#include "results/analysis/planning/trials.h"
#include "results/print/sheet.h"
#include "results/print/table.h"

namespace relbias::results {

/// Whether a run was made to choose settings. Such runs have no place among results.
bool is_trial(const RunRecord& run);

/// The runs that are no trials.
std::vector<RunRecord> without_trials(const std::vector<RunRecord>& runs);

/// A row a trial: what was tried, the first metric, the cross-entropy, and which was chosen.
Sheet sheet_of(const TaskTrials& trials);

/// For each study, task and dataset a table of the trials among `runs`: a row each, in the order in
/// which they were drawn, with what was tried, the first metric and the cross-entropy on the
/// validation split at the training size (means over the trials' seeds), and which was chosen, so
/// far as there is a run that says so. Throws StoreError where there are no trials.
std::string render_tuning(const std::vector<RunRecord>& runs, TableFormat format);

}  // namespace relbias::results
