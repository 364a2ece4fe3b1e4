// SPDX-License-Identifier: Apache-2.0
// results/print: the table of trials.
#include "results/print/tuning_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "results/analysis/settings.h"
#include "results/metrics/metric.h"
#include "results/print/csv.h"
#include "results/print/sheet.h"
#include "results/schema.h"

namespace relbias::results {
namespace {

// Trials of one setting, one a seed.
struct TrialRow {
  std::string cell;
  Settings setting;
  int64_t trial = 0;
  std::vector<const RunRecord*> runs;
};

using TaskKey = std::tuple<std::string, std::string, std::string>;  // study, task, dataset

TaskKey key_of(const RunRecord& run) { return {run.study, run.task, run.dataset}; }

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

// What the runs of one study say was chosen, by cell.
std::map<std::string, Tuning> chosen_of(const std::vector<RunRecord>& runs,
                                        const std::string& study) {
  std::map<std::string, Tuning> chosen;
  for (const RunRecord& run : runs) {
    if (run.study != study || is_trial(run)) continue;
    const Tuning tuning = tuning_in(run);
    if (tuning.of > 0) chosen[cell_of(tuning, run)] = tuning;
  }
  return chosen;
}

std::string setting_text(const Settings& setting) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : setting) parts.push_back(fmt::format("{}={}", key, value));
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
}

// The mean over the trial's runs of the first row of such a metric; a word where there is none.
template <class Wanted>
std::string mean_text(const TrialRow& row, Wanted&& wanted) {
  double sum = 0;
  for (const RunRecord* run : row.runs) {
    if (run->status != RunStatus::done) return std::string(to_string(run->status));
    const auto found = std::ranges::find_if(
        run->evaluation, [&](const EvaluationRow& one) { return wanted(*run, one.metric); });
    if (found == run->evaluation.end()) return "-";
    sum += found->value;
  }
  return number_text(sum / static_cast<double>(row.runs.size()));
}

std::string verdict_of(const TrialRow& row, const std::map<std::string, Tuning>& chosen) {
  const auto found = chosen.find(row.cell);
  if (found == chosen.end() || found->second.chosen != row.setting) return "";
  return found->second.diverged ? "diverged in tuning" : "chosen";
}

Sheet sheet_of(const TaskKey& key, const std::vector<TrialRow>& rows,
               const std::map<std::string, Tuning>& chosen) {
  const auto& [study, task, dataset] = key;
  const std::string metric = rows.front().runs.front()->primary_metric;
  Sheet sheet{.title = fmt::format("{}: trials of {}{}{}", study, task,
                                   dataset.empty() ? "" : " on ", dataset),
              .headings = {"encoding", "trial", "setting", metric, "cross-entropy", "seeds", ""}};
  for (const TrialRow& row : rows) {
    const std::vector<std::string> texts{
        row.cell,
        fmt::format("{}", row.trial),
        setting_text(row.setting),
        mean_text(row, [](const RunRecord& run,
                          const std::string& name) { return name == run.primary_metric; }),
        mean_text(row,
                  [](const RunRecord&, const std::string& name) {
                    return read_metric(name).entry->name == "cross-entropy";
                  }),
        fmt::format("{}", row.runs.size()),
        verdict_of(row, chosen)};
    std::vector<SheetCell>& cells = sheet.rows.emplace_back();
    for (const std::string& text : texts) cells.push_back({.text = text});
    cells[3].best = texts.back() == "chosen";
  }
  sheet.notes.push_back({"", "evaluated on the validation split at the training size"});
  for (const auto& [cell, choice] : chosen) {
    const bool is_here = std::ranges::find(rows, cell, &TrialRow::cell) != rows.end();
    if (choice.edge.empty() || !is_here) continue;
    sheet.notes.push_back({"", fmt::format("{}: the choice is at the edge of the grid of {}", cell,
                                           fmt::join(choice.edge, ", "))});
  }
  return sheet;
}

std::string csv_of(const std::vector<Sheet>& sheets) {
  std::string text = "title,encoding,trial,setting,metric,value,cross_entropy,seeds,verdict\n";
  for (const Sheet& sheet : sheets) {
    for (const auto& row : sheet.rows) {
      text += csv_cell(sheet.title);
      for (size_t c = 0; c < row.size(); ++c) {
        if (c == 3) text += "," + csv_cell(sheet.headings[c]);
        text += "," + csv_cell(row[c].text);
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace

bool is_trial(const RunRecord& run) { return run.role == "trial"; }

std::vector<RunRecord> without_trials(const std::vector<RunRecord>& runs) {
  std::vector<RunRecord> others;
  std::ranges::remove_copy_if(runs, std::back_inserter(others), is_trial);
  return others;
}

std::string render_tuning(const std::vector<RunRecord>& runs, TableFormat format) {
  std::map<TaskKey, std::vector<const RunRecord*>> trials;
  for (const RunRecord& run : runs) {
    if (is_trial(run)) trials[key_of(run)].push_back(&run);
  }
  if (trials.empty()) throw StoreError("no trials in this folder: its runs were not tuned");
  std::vector<Sheet> sheets;
  for (const auto& [key, of_task] : trials) {
    sheets.push_back(sheet_of(key, rows_of(of_task), chosen_of(runs, std::get<0>(key))));
  }
  if (format == TableFormat::csv) return csv_of(sheets);
  std::string text;
  for (const Sheet& sheet : sheets) {
    text += (text.empty() ? "" : "\n") + printed(sheet, format);
  }
  return text;
}

}  // namespace relbias::results
