// SPDX-License-Identifier: Apache-2.0
// results/print: tables of runs: which metric each shows, and the tidy csv.
#include "results/print/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "results/analysis/grouping.h"
#include "results/claims/judge.h"
#include "results/claims/naming.h"
#include "results/print/claims_sheet.h"
#include "results/print/csv.h"
#include "results/print/sheet.h"

namespace relbias::results {
namespace {

bool was_taken(const TaskRuns& group, const std::string& metric) {
  return std::ranges::any_of(group.rows, [&](const Repetitions& row) {
    return std::ranges::any_of(row.runs, [&](const RunRecord* run) {
      return run->primary_metric == metric ||
             std::ranges::find(run->evaluation, metric, &EvaluationRow::metric) !=
                 run->evaluation.end();
    });
  });
}

}  // namespace

std::string printed(const Sheet& sheet, TableFormat format) {
  if (format == TableFormat::markdown) return as_markdown(sheet);
  if (format == TableFormat::latex) return as_latex(sheet);
  return as_text(sheet);
}

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
  if (options.format == TableFormat::csv) return as_csv(runs, options.metric);

  std::string out;
  bool has_baseline = options.against.empty();
  std::vector<TaskRuns> groups = group_runs(runs);
  std::ranges::stable_sort(groups, {}, &TaskRuns::is_gate);  // gates have a section of their own
  for (const TaskRuns& group : groups) {
    const std::string& own = group.example().primary_metric;
    const std::string& metric = options.metric.empty() ? own : options.metric;
    if (!was_taken(group, metric)) {
      out += fmt::format("{}{}{}: {} was not measured in {}\n", out.empty() ? "" : "\n",
                         options.format == TableFormat::latex ? "% " : "", group.example().study,
                         group.example().task, metric);
      continue;
    }
    for (const Comparison& comparison : compare(group, metric, better_of(groups, metric))) {
      out +=
          (out.empty() ? "" : "\n") + printed(sheet_of(comparison, options.spread), options.format);
      const ComparisonRow* baseline =
          options.against.empty() ? nullptr : row_named(comparison, options.against);
      if (baseline == nullptr || comparison.better.empty()) continue;
      out += "\n" + printed(differences_from(*baseline, comparison), options.format);
      has_baseline = true;
    }
  }
  if (!has_baseline) {
    throw StoreError(fmt::format("no table has a row '{}' to compare with", options.against));
  }
  return out;
}

std::string render_standings(const std::vector<RunRecord>& runs, StandingsBy by, double factor,
                             TableFormat format) {
  const std::vector<TaskRuns> groups = group_runs(runs);
  const std::vector<Standings> found = standings(groups, by, factor);
  if (format == TableFormat::csv) return as_csv(found);
  std::string out;
  const auto add = [&](const Sheet& sheet) {
    if (!sheet.rows.empty()) out += (out.empty() ? "" : "\n") + printed(sheet, format);
  };
  for (const Standings& table : found) {
    add(sheet_of(table));
    add(improvement_sheet(table));
  }
  add(gates_sheet(groups, factor));
  if (out.empty()) {
    throw StoreError(fmt::format("no run was evaluated at {:.4g}x its training size", factor));
  }
  return out;
}

std::string render_claims(const std::vector<RunRecord>& runs, const std::vector<StudyText>& studies,
                          TableFormat format) {
  const std::vector<TaskRuns> groups = group_runs(runs);
  std::string out;
  for (const StudyText& study : studies) {
    const std::vector<Judgement> judgements = judge(study.claims, groups_of(groups, study.name));
    if (judgements.empty()) continue;
    out += "\n" + (format == TableFormat::text ? as_text(judgements, study.name)
                                               : printed(sheet_of(judgements, study.name), format));
  }
  return out;
}

}  // namespace relbias::results
