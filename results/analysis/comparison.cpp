// SPDX-License-Identifier: Apache-2.0
// results/analysis: encodings against sizes on one task.
#include "results/analysis/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "results/analysis/ties.h"
#include "results/schema.h"

namespace relbias::results {
namespace {

constexpr double solved_share = 0.95;  // of the ceiling, reached at the training size
constexpr double kept_share = 0.9;  // of the value there, for a size that still counts as reached

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// ---- cells ----

// What the finished runs of one row found in one column.
struct Found {
  std::vector<double> values;
  std::map<int64_t, double> by_seed;
  std::set<std::string> reasons;  // for having no answer
  int64_t undefined = 0;
};

std::vector<Found> found_in(const Repetitions& row, const std::vector<ComparisonColumn>& columns,
                            const std::string& metric) {
  std::map<ColumnKey, size_t> index;
  for (size_t i = 0; i < columns.size(); ++i) index.emplace(column_key(columns[i]), i);
  std::vector<Found> found(columns.size());
  for (const RunRecord* run : row.runs) {
    if (run->status != RunStatus::done) continue;
    for (const EvaluationRow& place : run->evaluation) {
      const auto column = place.metric == metric ? index.find(column_key(place)) : index.end();
      if (column == index.end()) continue;
      Found& here = found[column->second];
      if (place.defined) {
        here.values.push_back(place.value);
        here.by_seed[run->seed] = place.value;
        continue;
      }
      here.reasons.insert(place.reason);
      ++here.undefined;
    }
  }
  return found;
}

int64_t count_of(const Repetitions& row, RunStatus status) {
  return std::ranges::count(row.runs, status, &RunRecord::status);
}

// Of a row none of whose runs is done.
CellState state_of(const Repetitions& row) {
  if (count_of(row, RunStatus::diverged) > 0) return CellState::diverged;
  if (count_of(row, RunStatus::failed) > 0) return CellState::failed;
  return CellState::running;
}

Cell cell_of(const Found& found, const Repetitions& row, Notes& notes) {
  Cell cell;
  cell.summary = summarise(found.values);
  cell.values = found.by_seed;
  const auto broken =
      std::ranges::count_if(found.values, [](double v) { return !std::isfinite(v); });
  if (!found.values.empty()) cell.state = CellState::value;
  if (broken > 0) cell.state = CellState::not_finite;
  if (found.values.empty() && found.undefined > 0) cell.state = CellState::undefined;
  if (cell.state == CellState::missing && count_of(row, RunStatus::done) == 0) {
    cell.state = state_of(row);
  }
  const auto answers = cell.summary.count + found.undefined;
  if (broken > 0) {
    cell.mark = notes.mark(fmt::format("not a finite number in {} of {} runs", broken, answers));
  } else if (found.undefined > 0) {
    const std::string share =
        found.values.empty() ? "" : fmt::format(" in {} of {} runs", found.undefined, answers);
    cell.mark = notes.mark(fmt::format("undefined{}: {}", share, fmt::join(found.reasons, "; ")));
  }
  return cell;
}

// ---- rows ----

// "2 of 3 runs: seed 1 diverged (loss not finite at step 40); seed 2 running, or could not be
// written"
std::string note_on_runs(const Repetitions& row) {
  std::string note;
  for (const RunRecord* run : row.runs) {
    if (run->status == RunStatus::done) continue;
    const std::string_view how = run->status == RunStatus::running
                                     ? "running, or could not be written"
                                     : to_string(run->status);
    note += fmt::format("{}seed {} {}", note.empty() ? "" : "; ", run->seed, how);
    if (!run->message.empty()) note += fmt::format(" ({})", first_line(run->message));
  }
  return note;
}

// Whether a row of the evaluation speaks of the training size; of bins it is the one that ends
// there: `<=128`.
bool is_training_size(const EvaluationRow& place, const RunRecord& run) {
  if (std::isfinite(place.factor))
    return place.condition.empty() && std::abs(place.factor - 1) < 1e-6;
  return place.size == run.train_size && place.condition.starts_with("<=");
}

// Mean of the primary metric at the training size over finished runs; NaN where it was not taken.
double at_training_size(const Repetitions& row) {
  std::vector<double> values;
  for (const RunRecord* run : row.runs) {
    if (run->status != RunStatus::done) continue;
    for (const EvaluationRow& place : run->evaluation) {
      const bool is_primary = place.metric == run->primary_metric && place.defined;
      if (is_primary && is_training_size(place, *run)) values.push_back(place.value);
    }
  }
  return summarise(values).mean;
}

// The gate: what did not solve its training size says so, whatever metric is shown.
std::string mark_if_unsolved(const Repetitions& row, Notes& notes) {
  const RunRecord& run = *row.runs.front();
  if (!std::isfinite(run.ceiling) || count_of(row, RunStatus::done) == 0) return {};
  const double reached = at_training_size(row);
  const bool lower = run.better == "lower";
  const double needed = lower ? run.ceiling / solved_share : run.ceiling * solved_share;
  if (lower ? reached <= needed : reached >= needed) return {};
  if (std::isnan(reached)) {
    notes.add("‡", "no number measured at the training size: whether it was solved is unknown");
    return "‡";
  }
  notes.add("†",
            fmt::format(
                "not solved at the training size ({} {} than {:.4g}): values past it mean nothing",
                run.primary_metric, lower ? "higher" : "lower", needed));
  return "†";
}

double tokens_per_second(const Repetitions& row) {
  std::vector<double> speeds;
  for (const RunRecord* run : row.runs) {
    std::vector<double> logged;
    for (const TrainRow& step : run->train) {
      if (std::isfinite(step.tokens_per_second)) logged.push_back(step.tokens_per_second);
    }
    if (run->status == RunStatus::done && !logged.empty()) speeds.push_back(median(logged));
  }
  return summarise(speeds).mean;
}

// How far the metric keeps 90 % of what it was at the training size, without a gap.
Reach reach_of(const ComparisonRow& row, const std::vector<ComparisonColumn>& columns,
               const std::string& better) {
  const int64_t trained = column_at(columns, 1, 0);
  if (trained < 0 || better.empty() || !row.solved()) return {};
  const auto start = static_cast<size_t>(trained);
  if (row.cells[start].state != CellState::value) return {};
  const double value = row.cells[start].summary.mean;
  const double needed = better == "lower" ? value / kept_share : value * kept_share;
  Reach reach{1, true};
  for (size_t i = start + 1; i < columns.size() && std::isfinite(columns[i].factor); ++i) {
    const Cell& cell = row.cells[i];
    if (cell.state == CellState::missing) continue;
    const double mean = cell.summary.mean;
    const bool kept = better == "lower" ? mean <= needed : mean >= needed;
    if (cell.state != CellState::value || !kept) return {reach.factor, false};
    reach.factor = columns[i].factor;
  }
  return reach;
}

// Relative to `none` with the same settings, on the same relation where there is one.
double relative_speed(const Repetitions& row, const TaskRuns& group) {
  double baseline = not_given;
  for (const Repetitions& other : group.rows) {
    const RunRecord& run = *other.runs.front();
    if (run.encoding != "none" || !same_settings(other, row)) continue;
    const bool same_relation = run.relation == row.runs.front()->relation;
    if (same_relation || std::isnan(baseline)) baseline = tokens_per_second(other);
  }
  return tokens_per_second(row) / baseline;
}

ComparisonRow row_of(const Repetitions& repetitions, const TaskRuns& group, Notes& notes) {
  ComparisonRow row;
  row.label = repetitions.label;
  row.repetitions = &repetitions;
  row.label_mark = mark_if_unsolved(repetitions, notes);
  row.runs = static_cast<int64_t>(repetitions.runs.size());
  row.done = count_of(repetitions, RunStatus::done);
  if (row.done < row.runs) row.runs_mark = notes.mark(note_on_runs(repetitions));
  row.parameters_position = repetitions.runs.front()->parameters_position;
  row.tokens_per_second = tokens_per_second(repetitions);
  row.speed = relative_speed(repetitions, group);
  return row;
}

// ---- the whole ----

std::vector<std::string> facts_of(const TaskRuns& group, const std::string& metric,
                                  const std::string& better) {
  std::set<int64_t> sizes;
  std::set<std::string> relations;
  for (const Repetitions& row : group.rows) {
    for (const RunRecord* run : row.runs) {
      sizes.insert(run->train_size);
      relations.insert(run->relation);
    }
  }
  std::vector<std::string> facts = {
      better.empty() ? metric : fmt::format("{} ({} is better)", metric, better)};
  facts.push_back(fmt::format("trained at {}", fmt::join(sizes, ", ")));
  if (relations.size() == 1 && !relations.begin()->empty()) {
    facts.push_back("relation " + *relations.begin());
  }
  return facts;
}

std::string title_of(const RunRecord& run) {
  std::string title = run.study + ": " + run.task;
  if (!run.dataset.empty()) title += " on " + run.dataset;
  return run.modality.empty() ? title : title + " (" + run.modality + ")";
}

Comparison comparison_over(const ColumnSet& set, const TaskRuns& group, const std::string& metric,
                           const std::string& better) {
  Notes notes;
  Comparison comparison;
  comparison.title = title_of(group.example());
  if (!set.title.empty()) comparison.title += ", " + set.title;
  comparison.condition = set.title;
  comparison.metric = metric;
  comparison.better = better;
  comparison.columns = set.columns;
  for (const Repetitions& repetitions : group.rows) {
    ComparisonRow row = row_of(repetitions, group, notes);
    for (const Found& found : found_in(repetitions, comparison.columns, metric)) {
      row.cells.push_back(cell_of(found, repetitions, notes));
    }
    row.reach = reach_of(row, comparison.columns, better);
    comparison.rows.push_back(std::move(row));
  }
  mark_best(comparison, notes);
  comparison.facts = facts_of(group, metric, better);
  if (group.copies > 0) {
    notes.add("", fmt::format("{} further files of the same runs were not counted", group.copies));
  }
  comparison.notes = notes.take();
  return comparison;
}

}  // namespace

std::vector<Note> notes_on_rows(const Comparison& comparison) {
  std::vector<Note> notes;
  for (const Note& note : comparison.notes) {
    if (note.mark == "†" || note.mark == "‡") notes.push_back(note);
  }
  return notes;
}

bool ComparisonRow::diverged() const {
  return std::ranges::any_of(
      repetitions->runs, [](const RunRecord* run) { return run->status == RunStatus::diverged; });
}

std::vector<Comparison> compare(const TaskRuns& group, const std::string& metric,
                                const std::string& better) {
  std::vector<Comparison> comparisons;
  for (const ColumnSet& set : column_sets(group, metric)) {
    comparisons.push_back(comparison_over(set, group, metric, better));
  }
  return comparisons;
}

std::string word_for(CellState state) {
  switch (state) {
    case CellState::undefined:
      return "undefined";
    case CellState::diverged:
      return "diverged";
    case CellState::failed:
      return "failed";
    case CellState::running:
      return "running";
    case CellState::not_finite:
      return "nan";
    case CellState::missing:
    case CellState::value:
      break;
  }
  return "-";
}

}  // namespace relbias::results
