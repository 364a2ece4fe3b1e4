// SPDX-License-Identifier: Apache-2.0
// results/analysis: encodings against sizes on one task.
#include "results/analysis/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "results/analysis/notes/row_notes.h"
#include "results/analysis/notes/underneath.h"
#include "results/analysis/stars.h"
#include "results/inference/samples.h"

namespace relbias::results {
namespace {

constexpr double kept_share = 0.9;  // of the value at the training size: a size still reached

// ---- cells ----

// What the finished runs of one row found in one column.
struct Found {
  std::vector<Measurement> measured;  // the last of a run, where it was evaluated at several steps
  std::set<std::string> reasons;      // for having no answer
  int64_t undefined = 0;
};

std::vector<Found> found_in(const Repetitions& row, const std::vector<ComparisonColumn>& columns,
                            const std::string& metric) {
  std::map<ColumnKey, size_t> index;
  for (size_t i = 0; i < columns.size(); ++i) index.emplace(column_key(columns[i]), i);
  std::vector<Found> found(columns.size());
  for (const RunRecord* run : row.runs) {
    if (run->status != RunStatus::done) continue;
    std::map<size_t, const EvaluationRow*> last;  // by column
    for (const EvaluationRow& place : run->evaluation) {
      const auto column = place.metric == metric ? index.find(column_key(place)) : index.end();
      if (column == index.end()) continue;
      const EvaluationRow*& here = last[column->second];
      if (here == nullptr || place.step >= here->step) here = &place;
    }
    for (const auto& [column, place] : last) {
      if (place->defined) {
        found[column].measured.push_back({run, place});
        continue;
      }
      found[column].reasons.insert(place->reason);
      ++found[column].undefined;
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
  const auto begun = [](const RunRecord* run) { return is_begun(*run); };
  return std::ranges::any_of(row.runs, begun) ? CellState::running : CellState::planned;
}

void take_samples(Cell& cell, const std::vector<Measurement>& measured) {
  cell.samples = sample_values(measured);
  if (cell.samples.empty()) return;
  cell.guessed = guessed_values(measured, cell.samples);
  cell.unit = samples_of(measured.front())->unit;
}

Cell cell_of(const Found& found, const Repetitions& row) {
  Cell cell;
  for (const Measurement& one : found.measured) cell.values[one.run->seed] = one.row->value;
  std::vector<double> values;
  for (const auto& [seed, value] : cell.values) values.push_back(value);
  cell.summary = summarise(values);
  const auto broken = std::ranges::count_if(values, [](double v) { return !std::isfinite(v); });
  if (!values.empty()) cell.state = CellState::value;
  if (broken > 0) cell.state = CellState::not_finite;
  if (values.empty() && found.undefined > 0) cell.state = CellState::undefined;
  if (cell.state == CellState::missing && count_of(row, RunStatus::done) == 0) {
    cell.state = state_of(row);
  }
  if (cell.state == CellState::value) take_samples(cell, found.measured);
  const auto answers = cell.summary.count + found.undefined;
  if (broken > 0) {
    cell.remarks.push_back(fmt::format("not a finite number in {} of {} runs", broken, answers));
  } else if (found.undefined > 0) {
    const std::string share =
        values.empty() ? "" : fmt::format(" in {} of {} runs", found.undefined, answers);
    cell.remarks.push_back(fmt::format("undefined{}: {}", share, fmt::join(found.reasons, "; ")));
  }
  return cell;
}

// ---- rows ----

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
Reach reach_of(const ComparisonRow& row, const Comparison& comparison) {
  const std::vector<ComparisonColumn>& columns = comparison.columns;
  const int64_t trained = column_at(columns, 1, 0);
  if (trained < 0 || comparison.better.empty()) return {};
  const auto start = static_cast<size_t>(trained);
  if (row.cells[start].state != CellState::value || row.cells[start].guessing) return {};
  const double value = row.cells[start].summary.mean;
  const bool lower = comparison.better == "lower";
  const double needed = lower ? value / kept_share : value * kept_share;
  Reach reach{1, true};
  for (size_t i = start + 1; i < columns.size() && std::isfinite(columns[i].factor); ++i) {
    const Cell& cell = row.cells[i];
    if (cell.state == CellState::missing) continue;
    const double mean = cell.summary.mean;
    const bool kept = lower ? mean <= needed : mean >= needed;
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

ComparisonRow row_of(const Repetitions& repetitions, const TaskRuns& group) {
  ComparisonRow row;
  row.label = repetitions.label;
  row.repetitions = &repetitions;
  row.planned = planned_seeds(repetitions, group);
  row.chosen = chosen_text(tuning_in(*repetitions.runs.front()));
  row.runs =
      std::ranges::count_if(repetitions.runs, [](const RunRecord* run) { return is_begun(*run); });
  row.done = count_of(repetitions, RunStatus::done);
  row.failing =
      count_of(repetitions, RunStatus::diverged) + count_of(repetitions, RunStatus::failed);
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
  if (group.is_gate()) {
    const std::string& ability = group.example().ability;
    facts.push_back("gate: " + (ability.empty() ? "isolates one ability" : ability));
  }
  facts.push_back(fmt::format("trained at {}", fmt::join(sizes, ", ")));
  if (relations.size() == 1 && !relations.begin()->empty()) {
    facts.push_back("relation " + *relations.begin());
  }
  return facts;
}

std::string title_of(const TaskRuns& group) {
  const RunRecord& run = group.example();
  std::string title = run.study + ": " + run.task;
  if (!run.dataset.empty()) title += " on " + run.dataset;
  if (!run.modality.empty()) title += " (" + run.modality + ")";
  for (const auto& [key, value] : group.apart) title += ", " + key + "=" + value;
  return title;
}

// The trivial rule's value where a row has it, else the chance level.
std::vector<double> guessing_in(const Comparison& comparison) {
  std::vector<double> guessing;
  for (size_t i = 0; i < comparison.columns.size(); ++i) {
    guessing.push_back(comparison.columns[i].chance);
    for (const ComparisonRow& row : comparison.rows) {
      const SampleValues& guessed = row.cells[i].guessed;
      if (guessed.empty()) continue;
      guessing.back() = summarise(guessed.values.front()).mean;
      break;
    }
  }
  return guessing;
}

void mark_rows(Comparison& comparison, Notes& notes) {
  mark_unsolved(comparison, notes);
  for (ComparisonRow& row : comparison.rows) {
    const std::string note = note_on_runs(row);
    if (!note.empty()) row.runs_mark = notes.mark(note);
    for (Cell& cell : row.cells) {
      if (!cell.remarks.empty()) {
        cell.mark = notes.mark(fmt::format("{}", fmt::join(cell.remarks, "; ")));
      }
    }
  }
}

Comparison comparison_over(const ColumnSet& set, const TaskRuns& group, const std::string& metric,
                           const std::string& better) {
  Notes notes;
  Comparison comparison;
  comparison.title = title_of(group);
  if (!set.title.empty()) comparison.title += ", " + set.title;
  comparison.condition = set.title;
  comparison.metric = metric;
  comparison.better = better;
  comparison.columns = set.columns;
  for (const Repetitions& repetitions : group.rows) {
    ComparisonRow row = row_of(repetitions, group);
    for (const Found& found : found_in(repetitions, comparison.columns, metric)) {
      row.cells.push_back(cell_of(found, repetitions));
    }
    comparison.rows.push_back(std::move(row));
  }
  comparison.guessing = guessing_in(comparison);
  judge_cells(comparison);
  for (ComparisonRow& row : comparison.rows) row.reach = reach_of(row, comparison);
  mark_rows(comparison, notes);
  mark_best(comparison, notes);
  comparison.facts = facts_of(group, metric, better);
  comparison.about = notes_underneath(comparison, group);
  for (const Note& note : comparison.about) notes.add(note.mark, note.text);
  comparison.notes = notes.take();
  return comparison;
}

}  // namespace

std::vector<Note> notes_on_rows(const Comparison& comparison) {
  std::vector<Note> notes;
  for (const Note& note : comparison.notes) {
    if (note.mark == "†" || note.mark == "‡") notes.push_back(note);
  }
  notes.insert(notes.end(), comparison.about.begin(), comparison.about.end());
  return notes;
}

Inference better_by(const Comparison& comparison, size_t column, const ComparisonRow& row,
                    const ComparisonRow& other) {
  const Terms terms = terms_of(row.cells[column].samples, other.cells[column].samples);
  return infer(comparison.direction() < 0 ? terms.reversed() : terms, comparison.pools[column]);
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
    case CellState::planned:
      return "not begun";
    case CellState::not_finite:
      return "nan";
    case CellState::missing:
    case CellState::value:
      break;
  }
  return "-";
}

}  // namespace relbias::results
