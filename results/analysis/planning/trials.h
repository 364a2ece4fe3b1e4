// SPDX-License-Identifier: Apache-2.0
// results/analysis/planning: the trials by which settings were chosen.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "results/analysis/settings.h"
#include "results/record.h"

namespace relbias::results {

/// Trials of one setting, one a seed.
struct TrialRow {
  std::string cell;  // the encoding, as a table shows it
  Settings setting;
  int64_t trial = 0;
  std::vector<const RunRecord*> runs;
};

/// The mean over the runs of a trial of a metric on the validation split, `cross-entropy` or,
/// empty, their primary one; NaN where a run is not done or has none.
double validated(const TrialRow& row, const std::string& metric = "");

/// "train.encoding_rate=10, train.learning_rate=0.003"; "-" of no setting.
std::string setting_text(const Settings& setting);

/// The trials of one study on one task and dataset.
struct TaskTrials {
  std::string study, modality, task, dataset;
  std::string metric;                    // the primary one
  std::vector<TrialRow> rows;            // by encoding, then in the order in which they were drawn
  std::map<std::string, Tuning> chosen;  // by encoding, as the study's runs say

  bool is_chosen(const TrialRow& row) const;
  std::string title() const;  // "text-gates: trials of lag-copy"
};

/// Of all runs, sorted by study, task and dataset. Points into `runs`.
std::vector<TaskTrials> trials_of(const std::vector<RunRecord>& runs);

}  // namespace relbias::results
