// SPDX-License-Identifier: Apache-2.0
// results/analysis/notes: what is said about a row: its seeds, and whether its training size was
// solved.
#include "results/analysis/notes/row_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "results/inference/samples.h"
#include "results/schema.h"

namespace relbias::results {
namespace {

constexpr double solved_share = 0.95;  // of the ceiling, reached at the training size

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Whether a row of the evaluation speaks of the training size; of bins it is the one that ends
// there: `<=128`.
bool is_training_size(const EvaluationRow& place, const RunRecord& run) {
  if (std::isfinite(place.factor)) {
    return place.condition.empty() && std::abs(place.factor - 1) < 1e-6;
  }
  return place.size == run.train_size && place.condition.starts_with("<=");
}

// The primary metric at the training size, of finished runs at their last step.
std::vector<Measurement> at_training_size(const Repetitions& row) {
  std::vector<Measurement> found;
  for (const RunRecord* run : row.runs) {
    if (run->status != RunStatus::done) continue;
    const EvaluationRow* last = nullptr;
    for (const EvaluationRow& place : run->evaluation) {
      const bool is_primary = place.metric == run->primary_metric && place.defined;
      if (!is_primary || !is_training_size(place, *run)) continue;
      if (last == nullptr || place.step >= last->step) last = &place;
    }
    if (last != nullptr) found.push_back({run, last});
  }
  return found;
}

double mean_of(const std::vector<Measurement>& found) {
  std::vector<double> values;
  for (const Measurement& one : found) values.push_back(one.row->value);
  return summarise(values).mean;
}

// "t5 0.93 [0.91, 0.95]"
std::string value_text(const ComparisonRow& row, const std::vector<Measurement>& found) {
  std::string text = fmt::format("{} {:.3g}", row.label, mean_of(found));
  const Interval interval = infer(terms_of(sample_values(found))).interval;
  if (std::isnan(interval.low)) return text;
  return text + fmt::format(" [{:.3g}, {:.3g}]", interval.low, interval.high);
}

}  // namespace

int64_t planned_seeds(const Repetitions& row, const TaskRuns& group) {
  std::set<int64_t> seeds;
  for (const Repetitions& other : group.rows) {
    for (const RunRecord* run : other.runs) seeds.insert(run->seed);
  }
  return std::max(static_cast<int64_t>(seeds.size()), static_cast<int64_t>(row.runs.size()));
}

std::string note_on_runs(const ComparisonRow& row) {
  std::vector<std::string> parts;
  for (const RunRecord* run : row.repetitions->runs) {
    if (run->status == RunStatus::done) continue;
    if (!is_begun(*run)) {
      parts.push_back(fmt::format("seed {} not begun", run->seed));
      continue;
    }
    const std::string_view how = run->status == RunStatus::running
                                     ? "running, or could not be written"
                                     : to_string(run->status);
    parts.push_back(fmt::format("seed {} {}", run->seed, how));
    if (!run->message.empty()) parts.back() += fmt::format(" ({})", first_line(run->message));
  }
  const std::string note = fmt::format("{}", fmt::join(parts, "; "));
  if (!row.diverged() || row.planned < 2) return note;
  const bool any = std::ranges::any_of(row.repetitions->runs, [](const RunRecord* run) {
    return run->status == RunStatus::diverged;
  });
  return fmt::format("{} in {} of {}: {}", any ? "diverged" : "failed", row.failing, row.planned,
                     note);
}

void mark_unsolved(Comparison& comparison, Notes& notes) {
  std::vector<std::string> unsolved;
  std::string needed_text;
  for (ComparisonRow& row : comparison.rows) {
    const RunRecord& run = *row.repetitions->runs.front();
    if (!std::isfinite(run.ceiling) || row.done == 0) continue;
    const std::vector<Measurement> found = at_training_size(*row.repetitions);
    const double reached = mean_of(found);
    const bool lower = run.better == "lower";
    const double needed = lower ? run.ceiling / solved_share : run.ceiling * solved_share;
    if (lower ? reached <= needed : reached >= needed) continue;
    row.label_mark = std::isnan(reached) ? "‡" : "†";
    if (std::isnan(reached)) {
      notes.add("‡", "no number measured at the training size: whether it was solved is unknown");
      continue;
    }
    unsolved.push_back(value_text(row, found));
    needed_text = fmt::format("{} {} {:.4g}", run.primary_metric, lower ? "<=" : ">=", needed);
  }
  if (unsolved.empty()) return;
  notes.add("†", fmt::format("not solved at the training size, which is {}: {}", needed_text,
                             fmt::join(unsolved, ", ")));
}

}  // namespace relbias::results
