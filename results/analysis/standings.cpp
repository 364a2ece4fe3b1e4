// SPDX-License-Identifier: Apache-2.0
// results/analysis: how encodings stand against each other over several tasks.
#include "results/analysis/standings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace relbias::results {
namespace {

// One encoding in one task.
struct Entrant {
  double mean = not_given;
  double rank = not_given;
  std::vector<double> scores;  // one a seed
  std::string word;
};

using Entrants = std::map<std::string, Entrant>;

bool is_better(double left, double right, const std::string& better) {
  return better == "lower" ? left < right : left > right;
}

std::vector<double> scores_of(const Cell& cell, double best, double chance,
                              const std::string& better) {
  std::vector<double> scores;
  const double floor = std::isfinite(chance) && is_better(best, chance, better) ? chance : 0;
  for (const auto& [seed, value] : cell.values) {
    const double part = better == "lower" ? best : std::max(0.0, value - floor);
    const double whole = better == "lower" ? value : best - floor;
    scores.push_back(whole > 0 ? part / whole : 1);  // an error of 0 cannot be beaten
  }
  return scores;
}

void rank_entrants(Entrants& entrants, const std::string& better) {
  std::vector<double> values;
  for (const auto& [name, entrant] : entrants) {
    if (std::isfinite(entrant.mean)) {
      values.push_back(better == "lower" ? entrant.mean : -entrant.mean);
    }
  }
  const std::vector<double> found = ranks(values);
  size_t next = 0;
  for (auto& [name, entrant] : entrants) {
    if (std::isfinite(entrant.mean)) entrant.rank = found[next++];
  }
}

// The entrants of one task that has this relation (empty: any); empty where it was not evaluated
// there.
Entrants entrants_of(const Comparison& comparison, double factor, const std::string& relation) {
  const RunRecord& example = *comparison.rows.front().repetitions->runs.front();
  const int64_t place = column_at(comparison.columns, factor, example.train_size);
  if (place < 0 || comparison.better.empty()) return {};
  const auto column = static_cast<size_t>(place);
  Entrants entrants;
  std::map<std::string, const Cell*> cells;
  for (const ComparisonRow& row : comparison.rows) {
    const RunRecord& run = *row.repetitions->runs.front();
    if (!relation.empty() && run.relation != relation) continue;
    const Cell& cell = row.cells[column];
    Entrant& entrant = entrants[encoding_name(run.encoding)];
    const bool counts = cell.state == CellState::value && !cell.guessing && !row.diverged();
    if (!counts && std::isnan(entrant.mean)) {
      entrant.word = cell.state != CellState::value ? word_for(cell.state)
                     : row.diverged()               ? word_for(CellState::diverged)
                                                    : "not above guessing";
    }
    if (!counts || (std::isfinite(entrant.mean) &&
                    !is_better(cell.summary.mean, entrant.mean, comparison.better))) {
      continue;
    }
    entrant = {cell.summary.mean, not_given, {}, ""};
    cells[encoding_name(run.encoding)] = &cell;
  }
  if (entrants.size() == 1 && cells.size() == 1) {  // a rank is one among others
    entrants[cells.begin()->first] = {.word = "no rival"};
    return entrants;
  }
  rank_entrants(entrants, comparison.better);
  double best = not_given;
  for (const auto& [name, cell] : cells) {
    const double mean = cell->summary.mean;
    if (std::isnan(best) || is_better(mean, best, comparison.better)) best = mean;
  }
  for (const auto& [name, cell] : cells) {
    entrants[name].scores =
        scores_of(*cell, best, comparison.columns[column].chance, comparison.better);
  }
  return entrants;
}

struct Task {
  std::string column;
  Entrants entrants;
};

std::string task_label(const RunRecord& run) {
  return run.dataset.empty() ? run.task : run.task + " on " + run.dataset;
}

// The tasks that were evaluated at this size, one entry for each relation where those are compared.
std::vector<Task> tasks_of(const std::vector<TaskRuns>& groups, StandingsBy by, double factor) {
  std::vector<Task> tasks;
  for (const TaskRuns& group : groups) {
    const RunRecord& run = group.example();
    const Comparison comparison =
        compare(group, run.primary_metric, better_of(group, run.primary_metric)).front();
    std::set<std::string> relations = {""};
    if (by == StandingsBy::relation) {
      relations.clear();
      for (const Repetitions& row : group.rows) relations.insert(row.runs.front()->relation);
    }
    for (const std::string& relation : relations) {
      Entrants entrants = entrants_of(comparison, factor, relation);
      if (entrants.empty()) continue;
      const std::string column = by == StandingsBy::modality ? run.modality
                                 : by == StandingsBy::task   ? task_label(run)
                                                             : relation;
      tasks.push_back({column, std::move(entrants)});
    }
  }
  return tasks;
}

Standing standing_in(const std::string& encoding, const std::string& column,
                     const std::vector<Task>& tasks, std::vector<std::vector<double>>& strata) {
  Standing standing;
  std::vector<double> ranks_found;
  std::set<std::string> words;
  int64_t tasks_in_column = 0;
  for (const Task& task : tasks) {
    if (task.column != column) continue;
    ++tasks_in_column;
    const auto found = task.entrants.find(encoding);
    if (found == task.entrants.end()) continue;
    const Entrant& entrant = found->second;
    if (!entrant.word.empty()) words.insert(entrant.word);
    if (std::isnan(entrant.rank)) continue;
    ranks_found.push_back(entrant.rank);
    standing.value = entrant.mean;
    strata.push_back(entrant.scores);
  }
  standing.tasks = static_cast<int64_t>(ranks_found.size());
  standing.rank = summarise(ranks_found).mean;
  if (tasks_in_column != 1) standing.value = not_given;
  if (ranks_found.empty()) {
    standing.word = words.empty() ? "not run" : fmt::format("{}", fmt::join(words, ", "));
  }
  return standing;
}

StandingsRow row_of(const std::string& encoding, const Standings& standings,
                    const std::vector<Task>& tasks) {
  StandingsRow row{.encoding = encoding};
  std::vector<std::vector<double>> strata;
  std::vector<double> ranks_found;
  for (const std::string& column : standings.columns) {
    row.cells.push_back(standing_in(encoding, column, tasks, strata));
    if (row.cells.back().tasks > 0) ranks_found.push_back(row.cells.back().rank);
  }
  row.rank = summarise(ranks_found).mean;
  row.columns = static_cast<int64_t>(ranks_found.size());
  std::vector<double> scores;
  for (const auto& stratum : strata) scores.insert(scores.end(), stratum.begin(), stratum.end());
  row.score = interquartile_mean(scores);
  row.interval = stratified_interval(strata);
  return row;
}

}  // namespace

Standings standings(const std::vector<TaskRuns>& groups, StandingsBy by, double factor) {
  Standings result{.factor = factor};
  const std::vector<Task> tasks = tasks_of(groups, by, factor);
  std::map<std::string, int64_t> columns;
  std::set<std::string> encodings;
  for (const Task& task : tasks) {
    ++columns[task.column];
    for (const auto& [name, entrant] : task.entrants) encodings.insert(name);
  }
  for (const auto& [column, count] : columns) {
    result.columns.push_back(column);
    result.tasks.push_back(count);
  }
  for (const std::string& encoding : encodings) {
    result.rows.push_back(row_of(encoding, result, tasks));
  }
  // Who was ranked in more columns has shown more.
  std::ranges::stable_sort(result.rows, {}, [](const StandingsRow& row) {
    return std::pair(-row.columns, std::isnan(row.rank) ? INFINITY : row.rank);
  });
  return result;
}

}  // namespace relbias::results
