// SPDX-License-Identifier: Apache-2.0
// results/report: "Which encoding should I take?", answered by the runs alone.
#include "results/report/advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace relbias::results {
namespace {

constexpr int64_t seeds_for_advice = 3;

// 4x where any task has it, or a bin that holds it; else the size past the training's that is
// nearest; 1 where there is none.
double far_size(const std::vector<TaskRuns>& groups) {
  constexpr double wanted = 4;
  double far = 1, least = INFINITY;
  for (const TaskRuns& group : groups) {
    const auto sets = column_sets(group, group.example().primary_metric);
    const auto& columns = sets.front().columns;
    const int64_t trained = group.example().train_size;
    if (column_at(columns, wanted, trained) >= 0) return wanted;
    for (const ComparisonColumn& column : columns) {
      const double factor = factor_of(column, trained);
      const double distance = std::abs(std::log(factor / wanted));
      if (!(factor > 1.05) || !(distance < least)) continue;
      far = factor;
      least = distance;
    }
  }
  return far;
}

int64_t fewest_seeds(const std::vector<TaskRuns>& groups) {
  int64_t fewest = 0;
  for (const TaskRuns& group : groups) {
    for (const Repetitions& row : group.rows) {
      const auto done = std::ranges::count(row.runs, RunStatus::done, &RunRecord::status);
      if (done > 0 && (fewest == 0 || done < fewest)) fewest = done;
    }
  }
  return fewest;
}

bool is_tuned(const TaskRuns& group) {
  return std::ranges::all_of(group.rows, [](const Repetitions& row) {
    return std::ranges::all_of(row.runs,
                               [](const RunRecord* run) { return tuning_of(*run).of > 0; });
  });
}

// What advice needs and these tasks lack; `usable` are those that lack nothing.
std::vector<std::string> missing_in(const std::vector<TaskRuns>& groups,
                                    std::vector<TaskRuns>& usable) {
  std::vector<TaskRuns> benchmarks;
  std::ranges::copy_if(groups, std::back_inserter(benchmarks),
                       [](const TaskRuns& group) { return !group.is_gate(); });
  if (benchmarks.empty()) return {"benchmark tasks: these are gates"};
  std::vector<TaskRuns> tuned;
  std::ranges::copy_if(benchmarks, std::back_inserter(tuned), is_tuned);
  std::ranges::copy_if(tuned, std::back_inserter(usable), [](const TaskRuns& group) {
    return fewest_seeds({group}) >= seeds_for_advice;
  });
  std::vector<std::string> missing;
  if (tuned.empty()) missing.emplace_back("tuned runs: every encoding needs the same chance");
  if (usable.empty() && fewest_seeds(benchmarks) < seeds_for_advice) {
    missing.push_back(
        fmt::format("{} seeds or more, {} found", seeds_for_advice, fewest_seeds(benchmarks)));
  }
  return missing;
}

std::string reason_for(const Standings& found) {
  const auto row = std::ranges::find(found.rows, found.best.front(), &StandingsRow::encoding);
  int64_t tasks = 0;
  for (const int64_t in_column : found.tasks) tasks += in_column;
  const MeanScore& score = row->score;
  return fmt::format("score {:.3f} [{:.3f}, {:.3f}] over {} task{}", std::max(0.0, score.mean),
                     score.interval.low, score.interval.high, tasks, tasks == 1 ? "" : "s");
}

void add_choice(Advice& advice, const std::vector<TaskRuns>& groups, double factor) {
  const std::vector<Standings> tables = standings(groups, StandingsBy::modality, factor);
  if (tables.empty() || tables.front().best.empty()) return;
  const Standings& found = tables.front();
  std::string encoding = found.best.front();
  if (found.best.size() > 1) {
    encoding += fmt::format(" (not told from it: {})",
                            fmt::join(found.best.begin() + 1, found.best.end(), ", "));
  }
  advice.choices.push_back(
      {factor == 1 ? "at the training size" : fmt::format("at {:.4g}x", factor), encoding,
       reason_for(found)});
}

}  // namespace

std::vector<Advice> advise(const std::vector<TaskRuns>& groups) {
  std::map<std::string, std::vector<TaskRuns>> modalities;
  for (const TaskRuns& group : groups) modalities[group.example().modality].push_back(group);
  std::vector<Advice> all;
  for (const auto& [modality, members] : modalities) {
    Advice advice{.modality = modality};
    std::vector<TaskRuns> usable;
    advice.missing = missing_in(members, usable);
    advice.tasks = static_cast<int64_t>(usable.size());
    advice.seeds = fewest_seeds(usable.empty() ? members : usable);
    if (advice.missing.empty()) {
      add_choice(advice, usable, 1);
      if (const double far = far_size(usable); far > 1.05) add_choice(advice, usable, far);
      if (advice.choices.empty()) {
        advice.missing.emplace_back("an encoding above guessing in every task, and a rival");
      }
    }
    all.push_back(std::move(advice));
  }
  return all;
}

}  // namespace relbias::results
