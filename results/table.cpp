// SPDX-License-Identifier: Apache-2.0
// results: tables of runs: which metric each shows, and the tidy csv.
#include "results/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "results/grouping.h"
#include "results/schema.h"
#include "results/sheet.h"

namespace relbias {
namespace {

// The direction that a run states for its own metric, also where another task shows it beside its
// own.
std::string better_of(const std::vector<RunRecord>& runs, const std::string& metric) {
  for (const RunRecord& run : runs) {
    if (run.primary_metric == metric && !run.better.empty()) return run.better;
  }
  return {};
}

bool was_taken(const TaskRuns& group, const std::string& metric) {
  return std::ranges::any_of(group.rows, [&](const Repetitions& row) {
    return std::ranges::any_of(row.runs, [&](const RunRecord* run) {
      return run->primary_metric == metric ||
             std::ranges::find(run->evaluation, metric, &EvaluationRow::metric) !=
                 run->evaluation.end();
    });
  });
}

std::string print(const Sheet& sheet, TableFormat format) {
  if (format == TableFormat::markdown) return as_markdown(sheet);
  if (format == TableFormat::latex) return as_latex(sheet);
  return as_text(sheet);
}

// ---- csv ----

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
  static const std::set<std::string> left_out = {"schema_version", "config", "versions"};
  return !left_out.contains(attribute);
}

std::string csv_of(const std::vector<RunRecord>& runs, const std::string& metric) {
  std::vector<std::string> heading;
  visit_attributes([&](const char* name, auto) {
    if (in_csv(name)) heading.emplace_back(name);
  });
  visit_columns<EvaluationRow>([&](const char* name, auto) { heading.emplace_back(name); });
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
      visit_columns<EvaluationRow>(
          [&](const char*, auto member) { line.push_back(field(row.*member)); });
      out += fmt::format("{}\n", fmt::join(line, ","));
      any = true;
    }
    if (any) continue;  // a run without results is still a row
    attributes.resize(heading.size());
    out += fmt::format("{}\n", fmt::join(attributes, ","));
  }
  return out;
}

}  // namespace

UnknownMetric::UnknownMetric(std::string metric, std::vector<std::string> known)
    : StoreError(
          fmt::format("no run has the metric '{}'; there are: {}", metric, fmt::join(known, ", "))),
      metric_(std::move(metric)),
      known_(std::move(known)) {}

std::vector<std::string> metrics_of(const std::vector<RunRecord>& runs) {
  std::set<std::string> metrics;
  for (const RunRecord& run : runs) {
    if (!run.primary_metric.empty()) metrics.insert(run.primary_metric);
    for (const EvaluationRow& row : run.evaluation) metrics.insert(row.metric);
  }
  return {metrics.begin(), metrics.end()};
}

std::string render_table(const std::vector<RunRecord>& runs, const TableOptions& options) {
  const std::vector<std::string> known = metrics_of(runs);
  if (!options.metric.empty() && std::ranges::find(known, options.metric) == known.end()) {
    throw UnknownMetric(options.metric, known);
  }
  if (options.format == TableFormat::csv) return csv_of(runs, options.metric);

  std::string out;
  for (const TaskRuns& group : group_runs(runs)) {
    const std::string& own = group.example().primary_metric;
    const std::string& metric = options.metric.empty() ? own : options.metric;
    if (!was_taken(group, metric)) {
      out += fmt::format("{}{}{}: {} was not measured in {}\n", out.empty() ? "" : "\n",
                         options.format == TableFormat::latex ? "% " : "", group.example().study,
                         group.example().task, metric);
      continue;
    }
    for (const Comparison& comparison : compare(group, metric, better_of(runs, metric))) {
      out += (out.empty() ? "" : "\n") + print(sheet_of(comparison), options.format);
    }
  }
  return out;
}

}  // namespace relbias
