// SPDX-License-Identifier: Apache-2.0
// results/print: the table of trials.
#include "results/print/tuning_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "results/analysis/notes/underneath.h"
#include "results/analysis/planning/trials.h"
#include "results/print/csv.h"
#include "results/print/sheet.h"
#include "results/schema.h"

namespace relbias::results {
namespace {

// A word where a run has no number.
std::string mean_text(const TrialRow& row, const std::string& metric) {
  for (const RunRecord* run : row.runs) {
    if (run->status != RunStatus::done) return std::string(to_string(run->status));
  }
  const double mean = validated(row, metric);
  return std::isnan(mean) ? "-" : number_text(mean);
}

std::string verdict_of(const TrialRow& row, const TaskTrials& task) {
  if (!task.is_chosen(row)) return "";
  return task.chosen.at(row.cell).diverged ? "diverged in tuning" : "chosen";
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

Sheet sheet_of(const TaskTrials& task) {
  Sheet sheet{
      .title = task.title(),
      .headings = {"encoding", "trial", "setting", task.metric, "cross-entropy", "seeds", ""}};
  for (const TrialRow& row : task.rows) {
    const std::vector<std::string> texts{row.cell,
                                         fmt::format("{}", row.trial),
                                         setting_text(row.setting),
                                         mean_text(row, ""),
                                         mean_text(row, "cross-entropy"),
                                         fmt::format("{}", row.runs.size()),
                                         verdict_of(row, task)};
    std::vector<SheetCell>& cells = sheet.rows.emplace_back();
    for (const std::string& text : texts) cells.push_back({.text = text});
    cells[3].best = texts.back() == "chosen";
  }
  sheet.notes.push_back({"", "evaluated on the validation split at the training size"});
  std::vector<const RunRecord*> runs;
  for (const TrialRow& row : task.rows) runs.insert(runs.end(), row.runs.begin(), row.runs.end());
  for (const Note& note : provenance_notes(runs)) sheet.notes.push_back(note);
  for (const auto& [cell, choice] : task.chosen) {
    const bool is_here = std::ranges::find(task.rows, cell, &TrialRow::cell) != task.rows.end();
    if (choice.edge.empty() || !is_here) continue;
    sheet.notes.push_back({"", fmt::format("{}: the choice is at the edge of the grid of {}", cell,
                                           fmt::join(choice.edge, ", "))});
  }
  return sheet;
}

std::string render_tuning(const std::vector<RunRecord>& runs, TableFormat format) {
  const std::vector<TaskTrials> trials = trials_of(runs);
  if (trials.empty()) throw StoreError("no trials in this folder: its runs were not tuned");
  std::vector<Sheet> sheets;
  for (const TaskTrials& task : trials) sheets.push_back(sheet_of(task));
  if (format == TableFormat::csv) return csv_of(sheets);
  std::string text;
  for (const Sheet& sheet : sheets) {
    text += (text.empty() ? "" : "\n") + printed(sheet, format);
  }
  return text;
}

}  // namespace relbias::results
