// SPDX-License-Identifier: Apache-2.0
// results/report: "Which encoding should I take?", answered by the runs alone.
#include "results/report/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace relbias::results {
namespace {

constexpr double close_enough = 0.95;  // of the best score

// Training speeds, mean over tasks, of each encoding's fastest form: relative to `none` where the
// tasks have it, else in tokens a second.
struct Speeds {
  std::map<std::string, double> by_name;
  bool relative = true;
};

Speeds speeds_in(const std::vector<TaskRuns>& groups, double ComparisonRow::*speed_of) {
  std::map<std::string, std::vector<double>> found;
  for (const TaskRuns& group : groups) {
    const RunRecord& run = group.example();
    std::map<std::string, double> fastest;
    const auto compared = compare(group, run.primary_metric, "");
    for (const ComparisonRow& row : compared.front().rows) {
      if (!std::isfinite(row.*speed_of)) continue;
      double& speed = fastest[encoding_name(row.repetitions->runs.front()->encoding)];
      speed = std::max(speed, row.*speed_of);
    }
    for (const auto& [name, speed] : fastest) found[name].push_back(speed);
  }
  Speeds speeds;
  for (const auto& [name, values] : found) speeds.by_name[name] = summarise(values).mean;
  return speeds;
}

Speeds speeds_of(const std::vector<TaskRuns>& groups) {
  Speeds speeds = speeds_in(groups, &ComparisonRow::speed);
  if (!speeds.by_name.empty()) return speeds;
  speeds = speeds_in(groups, &ComparisonRow::tokens_per_second);
  speeds.relative = false;
  return speeds;
}

// The most tasks in which any encoding was ranked.
int64_t most_tasks(const Standings& found) {
  int64_t most = 0;
  for (const StandingsRow& row : found.rows) most = std::max(most, row.cells.front().tasks);
  return most;
}

// The best score of those that were ranked in as many tasks as any; null without any.
const StandingsRow* best_of(const Standings& found) {
  const StandingsRow* best = nullptr;
  for (const StandingsRow& row : found.rows) {
    if (row.cells.front().tasks < most_tasks(found) || !std::isfinite(row.score)) continue;
    if (best == nullptr || row.score > best->score) best = &row;
  }
  return best;
}

std::string reason_for(const StandingsRow& row, const Standings& found, const Speeds& speeds) {
  const Standing& cell = row.cells.front();
  const int64_t tasks = found.tasks.front();
  std::string text;
  if (std::isfinite(cell.value)) {
    text = fmt::format("{}, rank {:.3g}", number_text(cell.value), cell.rank);
  } else {
    text = fmt::format("score {:.3f}", row.score);
    if (std::isfinite(row.interval.low)) {
      text += fmt::format(" [{:.3f}, {:.3f}]", row.interval.low, row.interval.high);
    }
    text += fmt::format(", mean rank {:.3g} over {}{} tasks", cell.rank, cell.tasks,
                        cell.tasks < tasks ? fmt::format(" of {}", tasks) : "");
  }
  const auto speed = speeds.by_name.find(row.encoding);
  if (speed == speeds.by_name.end()) return text;
  return text + (speeds.relative ? fmt::format(", trains at {:.2f} of none's speed", speed->second)
                                 : fmt::format(", trains {:.0f} tokens a second", speed->second));
}

void add_best(Advice& advice, const std::vector<TaskRuns>& groups, double factor,
              const Speeds& speeds) {
  const Standings found = standings(groups, StandingsBy::modality, factor);
  const StandingsRow* best = found.rows.empty() ? nullptr : best_of(found);
  if (best == nullptr) return;
  const bool trained = factor == 1;
  if (trained) advice.tasks = found.tasks.front();
  std::string reason = reason_for(*best, found, speeds);
  if (!trained && found.tasks.front() < advice.tasks) {
    reason += fmt::format("; evaluated there: {} of {} tasks", found.tasks.front(), advice.tasks);
  }
  advice.choices.push_back({trained ? "at the training size" : fmt::format("at {:.4g}x", factor),
                            best->encoding, reason});
}

void add_fastest(Advice& advice, const std::vector<TaskRuns>& groups, const Speeds& speeds) {
  const Standings found = standings(groups, StandingsBy::modality, 1);
  const StandingsRow* best = found.rows.empty() ? nullptr : best_of(found);
  if (best == nullptr) return;
  const StandingsRow* fastest = nullptr;
  for (const StandingsRow& row : found.rows) {
    const bool close = row.cells.front().tasks == best->cells.front().tasks &&
                       row.score >= close_enough * best->score;
    if (!close || !speeds.by_name.contains(row.encoding)) continue;
    if (fastest == nullptr ||
        speeds.by_name.at(row.encoding) > speeds.by_name.at(fastest->encoding)) {
      fastest = &row;
    }
  }
  if (fastest == nullptr) return;
  advice.choices.push_back(
      {"fastest within 5 % of the best", fastest->encoding, reason_for(*fastest, found, speeds)});
}

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

std::string caution_for(const Advice& advice) {
  if (advice.seeds < 3) return "so few that differences may be chance";
  return advice.tasks < 2 ? "one task only" : "";
}

}  // namespace

std::vector<Advice> advise(const std::vector<TaskRuns>& groups) {
  std::map<std::string, std::vector<TaskRuns>> modalities;
  for (const TaskRuns& group : groups) modalities[group.example().modality].push_back(group);
  std::vector<Advice> all;
  for (const auto& [modality, members] : modalities) {
    Advice advice{.modality = modality, .seeds = fewest_seeds(members)};
    const Speeds speeds = speeds_of(members);
    add_best(advice, members, 1, speeds);
    if (const double far = far_size(members); far > 1.05) add_best(advice, members, far, speeds);
    add_fastest(advice, members, speeds);
    advice.caution = caution_for(advice);
    if (!advice.choices.empty()) all.push_back(std::move(advice));
  }
  return all;
}

}  // namespace relbias::results
