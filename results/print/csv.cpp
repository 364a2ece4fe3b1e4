// SPDX-License-Identifier: Apache-2.0
// results/print: tidy comma-separated values.
#include "results/print/csv.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "results/schema.h"

namespace relbias::results {
namespace {

// RFC 4180, with line feeds.
std::string field(const std::string& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}
std::string field(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }
std::string field(int64_t value) { return fmt::format("{}", value); }
std::string field(bool value) { return value ? "true" : "false"; }
template <typename Value>
std::string field(const Value& value) {
  return field(stored(value));
}

// Long texts, and what only a reader of the file itself needs, stay out.
bool in_csv(const std::string& attribute) {
  static const std::set<std::string> left_out = {"schema_version", "config",   "versions",
                                                 "dataset_report", "identity", "settings",
                                                 "positions",      "tuning",   "continued"};
  return !left_out.contains(attribute);
}

}  // namespace

std::string as_csv(const std::vector<RunRecord>& runs, const std::string& metric) {
  std::vector<std::string> heading;
  visit_attributes([&](const char* name, auto) {
    if (in_csv(name)) heading.emplace_back(name);
  });
  visit_columns<EvaluationRow>([&](const std::string& name, auto) {
    if (name != "commit") heading.push_back(name);  // the run's has this name
  });
  std::string out = fmt::format("{}\n", fmt::join(heading, ","));

  for (const RunRecord& run : runs) {
    std::vector<std::string> attributes;
    visit_attributes([&](const char* name, auto member) {
      if (in_csv(name)) attributes.push_back(field(run.*member));
    });
    bool any = false;
    for (const EvaluationRow& row : run.evaluation) {
      if (!metric.empty() && row.metric != metric) continue;
      std::vector<std::string> line = attributes;
      visit_columns<EvaluationRow>([&](const std::string& name, auto member) {
        if (name != "commit") line.push_back(field(row.*member));
      });
      out += fmt::format("{}\n", fmt::join(line, ","));
      any = true;
    }
    if (any) continue;  // a run without results is still a row
    attributes.resize(heading.size());
    out += fmt::format("{}\n", fmt::join(attributes, ","));
  }
  return out;
}

std::string as_csv(const Standings& standings) {
  std::string out = "encoding,column,factor,tasks,rank,value,state,score,low,high\n";
  for (const StandingsRow& row : standings.rows) {
    for (size_t i = 0; i < row.cells.size(); ++i) {
      const Standing& cell = row.cells[i];
      out += fmt::format("{},{},{},{},{},{},{},,,\n", field(row.encoding),
                         field(standings.columns[i]), field(standings.factor), field(cell.tasks),
                         field(cell.rank), field(cell.value), field(cell.word));
    }
    out += fmt::format("{},overall,{},{},{},,,{},{},{}\n", field(row.encoding),
                       field(standings.factor), field(row.columns), field(row.rank),
                       field(row.score), field(row.interval.low), field(row.interval.high));
  }
  return out;
}

}  // namespace relbias::results
