// SPDX-License-Identifier: Apache-2.0
// results: encodings against sizes on one task.
#include "results/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "results/schema.h"

namespace relbias {
namespace {

constexpr double solved_share = 0.95;  // of the ceiling, reached at the training size

// ---- notes ----

// Notes get the marks a, b, ..., z, aa, ... in the order of their first use; the same text keeps
// its mark.
class Notes {
 public:
  std::string mark(const std::string& text) {
    for (const Note& note : notes_) {
      if (note.text == text && !note.mark.empty()) return note.mark;
    }
    std::string mark;
    for (size_t number = ++lettered_; number > 0; number = (number - 1) / 26) {
      mark.insert(mark.begin(), static_cast<char>('a' + (number - 1) % 26));
    }
    add(mark, text);
    return mark;
  }
  void add(const std::string& mark, const std::string& text) {
    for (const Note& note : notes_) {
      if (note.mark == mark && note.text == text) return;
    }
    notes_.push_back({mark, text});
  }
  std::vector<Note> take() { return std::move(notes_); }

 private:
  std::vector<Note> notes_;
  size_t lettered_ = 0;
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// ---- columns ----

// What makes two evaluation rows one column. Factors are ratios and compared to six places.
using ColumnKey = std::tuple<bool, int64_t, std::string>;

template <typename Place>
ColumnKey key_of(const Place& place) {
  const bool has_factor = std::isfinite(place.factor);
  return {!has_factor, has_factor ? std::llround(place.factor * 1e6) : place.size, place.condition};
}

std::string size_of(const ComparisonColumn& column) {
  return std::isfinite(column.factor) ? fmt::format("{:.4g}x", column.factor)
                                      : fmt::format("{}", column.size);
}

void set_headings(std::vector<ComparisonColumn>& columns) {
  std::set<std::string> sizes;  // of the bins
  for (const ComparisonColumn& column : columns) {
    if (!column.condition.empty()) sizes.insert(size_of(column));
  }
  for (ComparisonColumn& column : columns) {
    column.heading = column.condition.empty() ? size_of(column)
                     : sizes.size() > 1       ? size_of(column) + " " + column.condition
                                              : column.condition;
  }
}

// A part of a size that is a column itself: some positions of it, not a bin of its own.
bool is_part(const ComparisonColumn& column) {
  return !column.condition.empty() && std::isfinite(column.factor);
}

// By size, then bins; those of one size in the order of the evaluation.
std::vector<ComparisonColumn> columns_of(const TaskRuns& group, const std::string& metric) {
  std::vector<ComparisonColumn> columns;
  std::set<ColumnKey> seen;
  for (const Repetitions& row : group.rows) {
    for (const RunRecord* run : row.runs) {
      for (const EvaluationRow& place : run->evaluation) {
        if (place.metric != metric || !seen.insert(key_of(place)).second) continue;
        columns.push_back({"", place.factor, place.size, place.condition, place.chance});
      }
    }
  }
  std::ranges::stable_sort(columns, {}, [](const ComparisonColumn& column) {
    return std::pair(std::get<0>(key_of(column)), std::get<1>(key_of(column)));
  });
  return columns;
}

// ---- cells ----

// What the finished runs of one row found in one column.
struct Found {
  std::vector<double> values;
  std::set<std::string> reasons;  // for having no answer
  int64_t undefined = 0;
};

std::vector<Found> found_in(const Repetitions& row, const std::vector<ComparisonColumn>& columns,
                            const std::string& metric) {
  std::map<ColumnKey, size_t> index;
  for (size_t i = 0; i < columns.size(); ++i) index.emplace(key_of(columns[i]), i);
  std::vector<Found> found(columns.size());
  for (const RunRecord* run : row.runs) {
    if (run->status != RunStatus::done) continue;
    for (const EvaluationRow& place : run->evaluation) {
      const auto column = place.metric == metric ? index.find(key_of(place)) : index.end();
      if (column == index.end()) continue;
      Found& here = found[column->second];
      if (place.defined) here.values.push_back(place.value);
      if (place.defined) continue;
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

// "2 of 3 runs: seed 1 diverged (loss not finite at step 40); seed 2 not finished"
std::string note_on_runs(const Repetitions& row) {
  std::string note;
  for (const RunRecord* run : row.runs) {
    if (run->status == RunStatus::done) continue;
    const std::string_view how =
        run->status == RunStatus::running ? "not finished" : to_string(run->status);
    note += fmt::format("{}seed {} {}", note.empty() ? "" : "; ", run->seed, how);
    if (!run->message.empty()) note += fmt::format(" ({})", first_line(run->message));
  }
  return note;
}

// Mean of the primary metric at the training size over finished runs; NaN where it was not taken.
double at_training_size(const Repetitions& row) {
  std::vector<double> values;
  for (const RunRecord* run : row.runs) {
    if (run->status != RunStatus::done) continue;
    for (const EvaluationRow& place : run->evaluation) {
      const bool is_it = place.metric == run->primary_metric && place.condition.empty() &&
                         std::abs(place.factor - 1) < 1e-6 && place.defined;
      if (is_it) values.push_back(place.value);
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
    notes.add("‡", "not measured at the training size: whether it was solved is unknown");
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

// Relative to `none` with the same settings, on the same relation where there is one.
double relative_speed(const Repetitions& row, const TaskRuns& group) {
  double baseline = not_given;
  for (const Repetitions& other : group.rows) {
    const RunRecord& run = *other.runs.front();
    if (run.encoding != "none" || other.variant != row.variant) continue;
    const bool same_relation = run.relation == row.runs.front()->relation;
    if (same_relation || std::isnan(baseline)) baseline = tokens_per_second(other);
  }
  return tokens_per_second(row) / baseline;
}

ComparisonRow row_of(const Repetitions& repetitions, const TaskRuns& group, Notes& notes) {
  ComparisonRow row;
  row.label = repetitions.label;
  row.label_mark = mark_if_unsolved(repetitions, notes);
  row.runs = static_cast<int64_t>(repetitions.runs.size());
  row.done = count_of(repetitions, RunStatus::done);
  if (row.done < row.runs) row.runs_mark = notes.mark(note_on_runs(repetitions));
  row.parameters_position = repetitions.runs.front()->parameters_position;
  row.speed = relative_speed(repetitions, group);
  return row;
}

// The best of a column has rivals, and past the training size it has solved that size.
void mark_best(Comparison& comparison, const std::string& better) {
  if (better.empty()) return;
  for (size_t i = 0; i < comparison.columns.size(); ++i) {
    const bool past = comparison.columns[i].factor > 1 + 1e-6;
    std::vector<Cell*> rivals;
    size_t values = 0;
    for (ComparisonRow& row : comparison.rows) {
      Cell& cell = row.cells[i];
      if (cell.state != CellState::value) continue;
      ++values;
      if (!past || row.label_mark.empty()) rivals.push_back(&cell);
    }
    if (values < 2 || rivals.empty()) continue;
    const auto mean = [](const Cell* cell) { return cell->summary.mean; };
    const auto [least, most] = std::ranges::minmax(rivals, {}, mean);
    const double best = mean(better == "lower" ? least : most);
    const double rounding = 1e-9 * std::abs(best);  // equal means may differ by it
    for (Cell* cell : rivals) cell->best = std::abs(mean(cell) - best) <= rounding;
  }
}

// ---- the whole ----

std::vector<std::string> facts_of(const TaskRuns& group, const Comparison& comparison,
                                  const std::string& metric, const std::string& better) {
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
  const bool has_spread = std::ranges::any_of(comparison.rows, [](const ComparisonRow& row) {
    return std::ranges::any_of(row.cells, [](const Cell& cell) { return cell.summary.count > 1; });
  });
  if (has_spread) facts.emplace_back("mean ± standard deviation over seeds");
  return facts;
}

std::string title_of(const RunRecord& run) {
  std::string title = run.study + ": " + run.task;
  if (!run.dataset.empty()) title += " on " + run.dataset;
  return run.modality.empty() ? title : title + " (" + run.modality + ")";
}

Comparison comparison_over(std::vector<ComparisonColumn> columns, const TaskRuns& group,
                           const std::string& metric, const std::string& better) {
  Notes notes;
  Comparison comparison;
  comparison.title = title_of(group.example());
  comparison.columns = std::move(columns);
  set_headings(comparison.columns);
  for (const Repetitions& repetitions : group.rows) {
    ComparisonRow row = row_of(repetitions, group, notes);
    for (const Found& found : found_in(repetitions, comparison.columns, metric)) {
      row.cells.push_back(cell_of(found, repetitions, notes));
    }
    comparison.rows.push_back(std::move(row));
  }
  mark_best(comparison, better);
  comparison.facts = facts_of(group, comparison, metric, better);
  if (group.copies > 0) {
    notes.add("", fmt::format("{} further files of the same runs were not counted", group.copies));
  }
  comparison.notes = notes.take();
  return comparison;
}

}  // namespace

std::vector<Comparison> compare(const TaskRuns& group, const std::string& metric,
                                const std::string& better) {
  std::vector<ComparisonColumn> columns = columns_of(group, metric);
  std::map<double, std::vector<ComparisonColumn>> parts_of_size;
  for (const ComparisonColumn& column : columns) {
    if (is_part(column)) parts_of_size[column.factor].push_back(column);
  }
  std::erase_if(columns, is_part);
  if (columns.empty() && parts_of_size.empty()) {  // no run got that far; their states are shown
    columns.push_back({"", 1, group.example().train_size, "", not_given});
  }

  if (!columns.empty()) return {comparison_over(std::move(columns), group, metric, better)};
  std::vector<Comparison> comparisons;
  for (auto& [factor, size_columns] : parts_of_size) {
    comparisons.push_back(comparison_over(std::move(size_columns), group, metric, better));
    comparisons.back().title += fmt::format(", at {:.4g}x", factor);
  }
  return comparisons;
}

}  // namespace relbias
