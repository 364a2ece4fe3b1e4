// SPDX-License-Identifier: Apache-2.0
// results/report: "Which encoding should I take?", answered by the runs alone.
#include "results/report/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace relbias {
namespace {

constexpr double close_enough = 0.95;  // of the best score

// Training speed relative to `none`, mean over tasks, for each encoding's fastest form.
std::map<std::string, double> speeds_of(const std::vector<TaskRuns>& groups) {
  std::map<std::string, std::vector<double>> by_name;
  for (const TaskRuns& group : groups) {
    const RunRecord& run = group.example();
    std::map<std::string, double> fastest;
    const auto compared = compare(group, run.primary_metric, "");
    for (const ComparisonRow& row : compared.front().rows) {
      if (!std::isfinite(row.speed)) continue;
      double& speed = fastest[encoding_name(row.repetitions->runs.front()->encoding)];
      speed = std::max(speed, row.speed);
    }
    for (const auto& [name, speed] : fastest) by_name[name].push_back(speed);
  }
  std::map<std::string, double> speeds;
  for (const auto& [name, values] : by_name) speeds[name] = summarise(values).mean;
  return speeds;
}

// The best score of those that were ranked in every task; null without any.
const StandingsRow* best_of(const Standings& found) {
  const StandingsRow* best = nullptr;
  for (const StandingsRow& row : found.rows) {
    if (row.cells.front().tasks < found.tasks.front() || !std::isfinite(row.score)) continue;
    if (best == nullptr || row.score > best->score) best = &row;
  }
  return best;
}

std::string reason_for(const StandingsRow& row, int64_t tasks) {
  const Standing& cell = row.cells.front();
  if (std::isfinite(cell.value))
    return fmt::format("{}, rank {:.3g}", number_text(cell.value), cell.rank);
  std::string text = fmt::format("score {:.3f}", row.score);
  if (std::isfinite(row.interval.low)) {
    text += fmt::format(" [{:.3f}, {:.3f}]", row.interval.low, row.interval.high);
  }
  return text + fmt::format(", mean rank {:.3g} over {} tasks", cell.rank, tasks);
}

std::string speed_text(const std::map<std::string, double>& speeds, const std::string& name) {
  const auto speed = speeds.find(name);
  return speed == speeds.end() ? ""
                               : fmt::format(", trains at {:.2f} of none's speed", speed->second);
}

void add_best(Advice& advice, const std::vector<TaskRuns>& groups, double factor,
              const std::map<std::string, double>& speeds) {
  const Standings found = standings(groups, StandingsBy::modality, factor);
  const StandingsRow* best = found.rows.empty() ? nullptr : best_of(found);
  if (best == nullptr) return;
  const bool trained = factor == 1;
  if (trained) advice.tasks = found.tasks.front();
  advice.choices.push_back(
      {trained ? "at the training size" : fmt::format("at {:.4g}x", factor), best->encoding,
       reason_for(*best, found.tasks.front()) + speed_text(speeds, best->encoding)});
}

void add_fastest(Advice& advice, const std::vector<TaskRuns>& groups,
                 const std::map<std::string, double>& speeds) {
  const Standings found = standings(groups, StandingsBy::modality, 1);
  const StandingsRow* best = found.rows.empty() ? nullptr : best_of(found);
  if (best == nullptr) return;
  const StandingsRow* fastest = nullptr;
  for (const StandingsRow& row : found.rows) {
    const bool close =
        row.cells.front().tasks == found.tasks.front() && row.score >= close_enough * best->score;
    if (!close || !speeds.contains(row.encoding)) continue;
    if (fastest == nullptr || speeds.at(row.encoding) > speeds.at(fastest->encoding))
      fastest = &row;
  }
  if (fastest == nullptr) return;
  advice.choices.push_back(
      {"fastest within 5 % of the best", fastest->encoding,
       reason_for(*fastest, found.tasks.front()) + speed_text(speeds, fastest->encoding)});
}

// 4x where it was evaluated, else the largest size below; 1 where there is none.
double far_size(const std::vector<TaskRuns>& groups) {
  double far = 1;
  for (const TaskRuns& group : groups) {
    const auto sets = column_sets(group, group.example().primary_metric);
    for (const ComparisonColumn& column : sets.front().columns) {
      const double factor =
          std::isfinite(column.factor)
              ? column.factor
              : static_cast<double>(column.size) / static_cast<double>(group.example().train_size);
      if (factor <= 4.0 * 1.05) far = std::max(far, factor);
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
    const std::map<std::string, double> speeds = speeds_of(members);
    add_best(advice, members, 1, speeds);
    if (const double far = far_size(members); far > 1.05) add_best(advice, members, far, speeds);
    add_fastest(advice, members, speeds);
    advice.caution = caution_for(advice);
    if (!advice.choices.empty()) all.push_back(std::move(advice));
  }
  return all;
}

}  // namespace relbias
