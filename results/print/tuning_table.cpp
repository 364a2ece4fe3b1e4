// SPDX-License-Identifier: Apache-2.0
// results/print: the table of trials.
#include "results/print/tuning_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "results/metrics/metric.h"
#include "results/print/sheet.h"
#include "results/schema.h"

namespace relbias::results {
namespace {

using nlohmann::json;

// Trials of one setting, one a seed.
struct TrialRow {
  std::string cell, setting;  // the setting as JSON
  int64_t trial = 0;
  std::vector<const RunRecord*> runs;
};

struct Chosen {
  std::string setting;  // as JSON
  std::vector<std::string> edge;
  bool diverged = false;
};

using TaskKey = std::tuple<std::string, std::string, std::string>;  // study, task, dataset

TaskKey key_of(const RunRecord& run) { return {run.study, run.task, run.dataset}; }

json tuning_json(const RunRecord& run) {
  const json tuning = json::parse(run.tuning, nullptr, /*allow_exceptions=*/false);
  return tuning.is_object() ? tuning : json::object();
}

std::vector<TrialRow> rows_of(const std::vector<const RunRecord*>& trials) {
  std::map<std::tuple<std::string, int64_t, std::string>, TrialRow> rows;
  for (const RunRecord* run : trials) {
    const json tuning = tuning_json(*run);
    TrialRow row{tuning.value("cell", run->encoding),
                 tuning.value("setting", json::object()).dump(),
                 tuning.value("trial", int64_t{0}),
                 {}};
    auto& found = rows.try_emplace({row.cell, row.trial, row.setting}, row).first->second;
    found.runs.push_back(run);
  }
  std::vector<TrialRow> sorted;
  for (auto& [key, row] : rows) sorted.push_back(std::move(row));
  return sorted;
}

// Of one study, by cell.
std::map<std::string, Chosen> chosen_of(const std::vector<RunRecord>& runs,
                                        const std::string& study) {
  std::map<std::string, Chosen> chosen;
  for (const RunRecord& run : runs) {
    const json tuning = tuning_json(run);
    if (run.study != study || !tuning.contains("chosen")) continue;
    chosen[tuning.value("cell", run.encoding)] = {tuning.at("chosen").dump(),
                                                  tuning.value("edge", std::vector<std::string>{}),
                                                  tuning.value("diverged", false)};
  }
  return chosen;
}

std::string setting_text(const std::string& setting) {
  std::vector<std::string> parts;
  const json values = json::parse(setting);
  for (const auto& [key, value] : values.items()) {
    parts.push_back(fmt::format("{}={}", key, value.get<std::string>()));
  }
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

std::string verdict_of(const TrialRow& row, const std::map<std::string, Chosen>& chosen) {
  const auto found = chosen.find(row.cell);
  if (found == chosen.end() || found->second.setting != row.setting) return "";
  return found->second.diverged ? "diverged in tuning" : "chosen";
}

Sheet sheet_of(const TaskKey& key, const std::vector<TrialRow>& rows,
               const std::map<std::string, Chosen>& chosen) {
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
  const auto quoted = [](const std::string& cell) {
    return cell.find_first_of(",\"") == std::string::npos ? cell : "\"" + cell + "\"";
  };
  for (const Sheet& sheet : sheets) {
    for (const auto& row : sheet.rows) {
      text += quoted(sheet.title);
      for (size_t c = 0; c < row.size(); ++c) {
        if (c == 3) text += "," + quoted(sheet.headings[c]);
        text += "," + quoted(row[c].text);
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
    const auto print = format == TableFormat::text       ? as_text
                       : format == TableFormat::markdown ? as_markdown
                                                         : as_latex;
    text += (text.empty() ? "" : "\n") + print(sheet);
  }
  return text;
}

}  // namespace relbias::results
