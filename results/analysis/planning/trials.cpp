// SPDX-License-Identifier: Apache-2.0
// results/analysis/planning: the trials by which settings were chosen.
#include "results/analysis/planning/trials.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "results/metrics/metric.h"

namespace relbias::results {
namespace {

using TaskKey = std::tuple<std::string, std::string, std::string>;  // study, task, dataset

std::string cell_of(const Tuning& tuning, const RunRecord& run) {
  return tuning.cell.empty() ? run.encoding : tuning.cell;
}

std::vector<TrialRow> rows_of(const std::vector<const RunRecord*>& trials) {
  std::map<std::tuple<std::string, int64_t, Settings>, TrialRow> rows;
  for (const RunRecord* run : trials) {
    const Tuning tuning = tuning_in(*run);
    const TrialRow row{cell_of(tuning, *run), tuning.setting, tuning.trial, {}};
    auto& found = rows.try_emplace({row.cell, row.trial, row.setting}, row).first->second;
    found.runs.push_back(run);
  }
  std::vector<TrialRow> sorted;
  for (auto& [key, row] : rows) sorted.push_back(std::move(row));
  return sorted;
}

// What the runs of one task say was chosen, by cell.
std::map<std::string, Tuning> chosen_of(const std::vector<RunRecord>& runs, const TaskKey& key) {
  std::map<std::string, Tuning> chosen;
  for (const RunRecord& run : runs) {
    if (TaskKey{run.study, run.task, run.dataset} != key || run.role == "trial") continue;
    const Tuning tuning = tuning_in(run);
    if (tuning.of > 0) chosen[cell_of(tuning, run)] = tuning;
  }
  return chosen;
}

}  // namespace

double validated(const TrialRow& row, const std::string& metric) {
  double sum = 0;
  for (const RunRecord* run : row.runs) {
    const auto found = std::ranges::find_if(run->evaluation, [&](const EvaluationRow& one) {
      return metric.empty() ? one.metric == run->primary_metric
                            : read_metric(one.metric).entry->name == metric;
    });
    if (run->status != RunStatus::done || found == run->evaluation.end()) return not_given;
    sum += found->value;
  }
  return sum / static_cast<double>(row.runs.size());
}

std::string setting_text(const Settings& setting) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : setting) parts.push_back(fmt::format("{}={}", key, value));
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
}

bool TaskTrials::is_chosen(const TrialRow& row) const {
  const auto found = chosen.find(row.cell);
  return found != chosen.end() && found->second.chosen == row.setting;
}

std::string TaskTrials::title() const {
  return fmt::format("{}: trials of {}{}{}", study, task, dataset.empty() ? "" : " on ", dataset);
}

std::vector<TaskTrials> trials_of(const std::vector<RunRecord>& runs) {
  std::map<TaskKey, std::vector<const RunRecord*>> by_task;
  for (const RunRecord& run : runs) {
    if (run.role == "trial") by_task[{run.study, run.task, run.dataset}].push_back(&run);
  }
  std::vector<TaskTrials> all;
  for (const auto& [key, members] : by_task) {
    const RunRecord& first = *members.front();
    all.push_back({.study = first.study,
                   .modality = first.modality,
                   .task = first.task,
                   .dataset = first.dataset,
                   .metric = first.primary_metric,
                   .rows = rows_of(members),
                   .chosen = chosen_of(runs, key)});
  }
  return all;
}

}  // namespace relbias::results
