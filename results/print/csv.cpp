// SPDX-License-Identifier: Apache-2.0
// results/print: tidy comma-separated values.
#include "results/print/csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <set>

#include "results/analysis/grouping.h"
#include "results/inference/samples.h"
#include "results/schema.h"

namespace relbias::results {
namespace {

std::string field(const std::string& text) { return csv_cell(text); }
std::string field(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }
std::string field(int64_t value) { return fmt::format("{}", value); }
std::string field(bool value) { return value ? "true" : "false"; }
template <typename Value>
std::string field(const Value& value) {
  return field(stored(value));
}

// Long texts, and what only a reader of the file itself needs, stay out.
bool in_csv(const std::string& attribute) {
  static const std::set<std::string> left_out = {
      "schema_version", "config", "versions",  "dataset_report", "identity", "settings",
      "positions",      "tuning", "continued", "ability",        "past_clip"};
  return !left_out.contains(attribute);
}

// The row of tables that a run belongs to.
struct RowOfRun {
  std::string label;
  int64_t seeds = 0;
};

std::map<const RunRecord*, RowOfRun> rows_of(const std::vector<RunRecord>& runs) {
  std::map<const RunRecord*, RowOfRun> rows;
  for (const TaskRuns& group : group_runs(runs)) {
    for (const Repetitions& row : group.rows) {
      for (const RunRecord* run : row.runs) {
        rows[run] = {row.label, static_cast<int64_t>(row.runs.size())};
      }
    }
  }
  return rows;
}

// Every key that is not the same in all runs and no attribute anyway.
std::vector<std::string> differing_settings(const std::vector<RunRecord>& runs) {
  std::map<std::string, std::set<std::string>> values;
  std::map<std::string, size_t> counts;
  for (const RunRecord& run : runs) {
    for (const auto& [key, value] : setting_of(run)) {
      values[key].insert(value);
      ++counts[key];
    }
  }
  std::vector<std::string> keys;
  for (const auto& [key, found] : values) {
    const bool differs = found.size() > 1 || counts[key] < runs.size();
    if (differs && key != "dataset_hash" && key != "data.task" && key != "data.dataset") {
      keys.push_back(key);
    }
  }
  return keys;
}

}  // namespace

std::string csv_cell(const std::string& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string as_csv(const std::vector<RunRecord>& runs, const std::string& metric) {
  const std::vector<std::string> keys = differing_settings(runs);
  const std::map<const RunRecord*, RowOfRun> rows = rows_of(runs);
  std::vector<std::string> heading;
  visit_attributes([&](const char* name, auto) {
    if (in_csv(name)) heading.emplace_back(name);
  });
  heading.insert(heading.end(), {"label", "seeds", "tuned"});
  heading.insert(heading.end(), keys.begin(), keys.end());
  visit_columns<EvaluationRow>([&](const std::string& name, auto) {
    heading.push_back(name == "commit" ? "evaluation_commit" : name);  // the run has one of its own
  });
  heading.insert(heading.end(), {"low", "high", "over_chance"});
  std::vector<std::string> headings;
  for (const std::string& name : heading) headings.push_back(field(name));
  std::string out = fmt::format("{}\n", fmt::join(headings, ","));

  for (const RunRecord& run : runs) {
    std::vector<std::string> attributes;
    visit_attributes([&](const char* name, auto member) {
      if (in_csv(name)) attributes.push_back(field(run.*member));
    });
    const auto row_of_run = rows.find(&run);
    const RowOfRun row = row_of_run == rows.end() ? RowOfRun{run.encoding, 1} : row_of_run->second;
    attributes.insert(attributes.end(),
                      {field(row.label), field(row.seeds), field(chosen_text(tuning_in(run)))});
    const Settings settings = setting_of(run);
    for (const std::string& key : keys) attributes.push_back(field(value_of(settings, key)));
    bool any = false;
    for (const EvaluationRow& place : run.evaluation) {
      if (!metric.empty() && place.metric != metric) continue;
      std::vector<std::string> line = attributes;
      visit_columns<EvaluationRow>(
          [&](const std::string&, auto member) { line.push_back(field(place.*member)); });
      const Interval interval = infer(terms_of(sample_values({{&run, &place}}))).interval;
      const double over_chance = place.chance > 0 ? place.value / place.chance : not_given;
      line.insert(line.end(), {field(interval.low), field(interval.high), field(over_chance)});
      out += fmt::format("{}\n", fmt::join(line, ","));
      any = true;
    }
    if (any) continue;  // a run without results is still a row
    attributes.resize(heading.size());
    out += fmt::format("{}\n", fmt::join(attributes, ","));
  }
  return out;
}

std::string as_csv(const std::vector<Standings>& tables) {
  std::string out = "table,encoding,column,factor,tasks,rank,value,state,score,low,high\n";
  for (size_t table = 0; table < tables.size(); ++table) {
    const Standings& standings = tables[table];
    for (const StandingsRow& row : standings.rows) {
      for (size_t i = 0; i < row.cells.size(); ++i) {
        const Standing& cell = row.cells[i];
        out += fmt::format("{},{},{},{},{},{},{},{},,,\n", table + 1, field(row.encoding),
                           field(standings.columns[i]), field(standings.factor), field(cell.tasks),
                           field(cell.rank), field(cell.value), field(cell.word));
      }
      out += fmt::format("{},{},overall,{},{},{},,,{},{},{}\n", table + 1, field(row.encoding),
                         field(standings.factor), field(row.columns), field(row.rank),
                         field(row.score.mean), field(row.score.interval.low),
                         field(row.score.interval.high));
    }
  }
  return out;
}

}  // namespace relbias::results
