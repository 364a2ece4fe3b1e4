// SPDX-License-Identifier: Apache-2.0
// results/analysis/across: how encodings stand against each other over several benchmark tasks.
#include "results/analysis/across/standings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>

#include "results/analysis/notes/underneath.h"

namespace relbias::results {
namespace {

constexpr int above_guessing = 2, guesses = 1, diverges = 0;

// One encoding in one task.
struct Entrant {
  const Cell* cell = nullptr;
  int standing = above_guessing;
  std::string word;  // why it has no rank
  std::string encoding_name{};
};

struct Task {
  std::string column;
  int direction = 1;
  double scale = not_given;  // of scores
  std::map<std::string, Entrant> entrants;
};

using Names = std::vector<std::string>;

Entrant entrant_of(const ComparisonRow& row, const Cell& cell) {
  if (row.diverged() || cell.state == CellState::not_finite) return {&cell, diverges, ""};
  if (cell.state != CellState::value) return {&cell, above_guessing, word_for(cell.state)};
  if (cell.samples.empty()) return {&cell, above_guessing, "no test samples"};
  if (cell.summary.count < 2) return {&cell, above_guessing, "one seed"};
  return {&cell, cell.guessing ? guesses : above_guessing, ""};
}

std::string column_of(const RunRecord& run, StandingsBy by, const std::string& title) {
  if (by == StandingsBy::modality) return run.modality;
  if (by == StandingsBy::relation) return run.relation;
  return title.substr(title.find(": ") + 2);  // without the study
}

// The benchmark tasks that were evaluated at this size, where relations are compared one for each.
std::vector<Task> tasks_of(const std::deque<Comparison>& comparisons, StandingsBy by,
                           double factor) {
  std::vector<Task> tasks;
  for (const Comparison& comparison : comparisons) {
    const RunRecord& run = *comparison.rows.front().repetitions->runs.front();
    const int64_t place = column_at(comparison.columns, factor, run.train_size);
    if (place < 0 || comparison.direction() == 0) continue;
    const auto column = static_cast<size_t>(place);
    std::map<std::string, Task> found;  // by relation
    for (const ComparisonRow& row : comparison.rows) {
      const RunRecord& of_row = *row.repetitions->runs.front();
      const bool by_relation = by == StandingsBy::relation;
      Task& task = found[by_relation ? of_row.relation : ""];
      task.column = column_of(of_row, by, comparison.title);
      task.direction = comparison.direction();
      task.scale = score_scale(comparison, column);
      Entrant& entrant = task.entrants[by_relation ? row.repetitions->form : row.label];
      entrant = entrant_of(row, row.cells[column]);
      entrant.encoding_name = encoding_name(of_row);
    }
    for (auto& [relation, task] : found) tasks.push_back(std::move(task));
  }
  return tasks;
}

// The seeds that all of these have that did not diverge.
std::set<int64_t> common_seeds(const Task& task, const Names& names) {
  std::set<int64_t> common;
  bool any = false;
  for (const std::string& name : names) {
    const Entrant& entrant = task.entrants.at(name);
    if (entrant.standing == diverges) continue;
    std::set<int64_t> seeds;
    for (const auto& [seed, value] : entrant.cell->values) {
      if (!any || common.contains(seed)) seeds.insert(seed);
    }
    common = std::move(seeds);
    any = true;
  }
  return common;
}

std::vector<double> values_of(const Entrant& entrant, const std::set<int64_t>& seeds) {
  std::vector<double> values;
  for (const auto& [seed, value] : entrant.cell->values) {
    if (seeds.contains(seed)) values.push_back(value);
  }
  return values;
}

// Ranks of these names in a task; empty where they have no two seeds in common.
std::map<std::string, double> ranks_in(const Task& task, const Names& names) {
  const std::set<int64_t> seeds = common_seeds(task, names);
  std::vector<double> places;  // less is better
  bool any = false;
  for (const std::string& name : names) {
    const Entrant& entrant = task.entrants.at(name);
    any = any || entrant.standing != diverges;
    places.push_back(entrant.standing == diverges ? INFINITY
                     : entrant.standing == guesses
                         ? std::numeric_limits<double>::max()
                         : -task.direction * summarise(values_of(entrant, seeds)).mean);
  }
  if (any && seeds.size() < 2) return {};
  const std::vector<double> found = ranks(places);
  std::map<std::string, double> by_name;
  for (size_t i = 0; i < names.size(); ++i) by_name[names[i]] = found[i];
  return by_name;
}

// The tasks in which each encoding has a rank.
std::map<std::string, std::set<size_t>> ranked_tasks(const std::vector<Task>& tasks) {
  std::map<std::string, std::set<size_t>> found;
  for (size_t i = 0; i < tasks.size(); ++i) {
    for (const auto& [name, entrant] : tasks[i].entrants) {
      if (entrant.word.empty()) found[name].insert(i);
    }
  }
  return found;
}

Standing standing_in(const std::string& name, const std::string& column,
                     const std::vector<const Task*>& tasks, const Names& names) {
  Standing standing;
  std::vector<double> found;
  std::set<std::string> words;
  int64_t tasks_in_column = 0;
  for (const Task* task : tasks) {
    if (task->column != column) continue;
    ++tasks_in_column;
    const Entrant& entrant = task->entrants.at(name);
    if (entrant.standing == diverges) words.insert("diverged");
    if (entrant.standing == guesses) words.insert("not above guessing");
    const auto by_name = ranks_in(*task, names);
    if (by_name.empty()) {
      words.insert("no two seeds in common");
      continue;
    }
    found.push_back(by_name.at(name));
    if (entrant.standing != diverges) standing.value = entrant.cell->summary.mean;
  }
  standing.tasks = static_cast<int64_t>(found.size());
  standing.rank = summarise(found).mean;
  if (tasks_in_column != 1) standing.value = not_given;
  standing.word = fmt::format("{}", fmt::join(words, ", "));
  return standing;
}

MeanScore score_of(const std::string& name, const std::vector<const Task*>& tasks) {
  std::vector<Score> scores;
  for (const Task* task : tasks) {
    const Entrant& entrant = task->entrants.at(name);
    const bool diverged = entrant.standing == diverges;
    scores.push_back(diverged ? Score{} : score_of(*entrant.cell, task->scale, task->direction));
  }
  return mean_of(scores);
}

Improvement improvement_of(const std::string& first, const std::string& second,
                           const std::vector<const Task*>& tasks) {
  std::vector<Contest> contests;
  for (const Task* task : tasks) {
    const Entrant &one = task->entrants.at(first), &other = task->entrants.at(second);
    Contest contest{.first_standing = one.standing,
                    .second_standing = other.standing,
                    .direction = task->direction};
    for (const auto& [seed, value] : one.cell->values) contest.first.push_back(value);
    for (const auto& [seed, value] : other.cell->values) contest.second.push_back(value);
    contests.push_back(std::move(contest));
  }
  return improvement(contests);
}

// The best score of what guesses in no task, and what is not told from it over all pairs.
std::vector<std::string> best_of(const Standings& found, const std::vector<const Task*>& tasks) {
  const auto may_win = [&](const StandingsRow& row) {
    return std::isfinite(row.score.mean) && std::ranges::all_of(tasks, [&](const Task* task) {
             return task->entrants.at(row.encoding).standing == above_guessing;
           });
  };
  const StandingsRow* best = nullptr;
  for (const StandingsRow& row : found.rows) {
    if (may_win(row) && (best == nullptr || row.score.mean > best->score.mean)) best = &row;
  }
  if (best == nullptr) return {};
  std::vector<std::string> names = {best->encoding};
  const auto rows = static_cast<double>(found.rows.size());
  for (const StandingsRow& row : found.rows) {
    if (&row == best || !may_win(row)) continue;
    std::vector<Score> led;
    for (const Task* task : tasks) {
      led.push_back(score_difference(*task->entrants.at(best->encoding).cell,
                                     *task->entrants.at(row.encoding).cell, task->scale,
                                     task->direction));
    }
    const bool told = mean_of(led).p * rows * (rows - 1) / 2 <= significance;
    if (!told) names.push_back(row.encoding);
  }
  return names;
}

// Of these names over tasks that all of them have.
Standings table_of(const Names& names, const std::vector<const Task*>& tasks, double factor) {
  Standings result{.factor = factor};
  std::map<std::string, int64_t> columns;
  for (const Task* task : tasks) ++columns[task->column];
  for (const auto& [column, count] : columns) {
    result.columns.push_back(column);
    result.tasks.push_back(count);
  }
  for (const std::string& name : names) {
    StandingsRow row{.encoding = name, .name = tasks.front()->entrants.at(name).encoding_name};
    std::vector<double> found;
    for (const std::string& column : result.columns) {
      row.cells.push_back(standing_in(name, column, tasks, names));
      if (row.cells.back().tasks > 0) found.push_back(row.cells.back().rank);
    }
    row.rank = summarise(found).mean;
    row.columns = static_cast<int64_t>(found.size());
    row.score = score_of(name, tasks);
    result.rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(result.rows, {}, [](const StandingsRow& row) {
    return std::pair(-row.columns, std::isnan(row.rank) ? INFINITY : row.rank);
  });
  for (const StandingsRow& row : result.rows) {
    result.improving.emplace_back();
    for (const StandingsRow& other : result.rows) {
      result.improving.back().push_back(improvement_of(row.encoding, other.encoding, tasks));
    }
  }
  result.best = best_of(result, tasks);
  return result;
}

// Every encoding with the reason why it has no rank.
Standings words_of(const std::vector<Task>& tasks, double factor) {
  Standings result{.factor = factor};
  std::map<std::string, std::map<std::string, std::set<std::string>>> words;  // by name and column
  std::map<std::string, int64_t> columns;
  std::map<std::string, std::string> encoding_names;
  for (const Task& task : tasks) {
    ++columns[task.column];
    for (const auto& [name, entrant] : task.entrants) {
      encoding_names[name] = entrant.encoding_name;
      words[name][task.column].insert(entrant.word.empty() ? "no rival" : entrant.word);
    }
  }
  for (const auto& [column, count] : columns) {
    result.columns.push_back(column);
    result.tasks.push_back(count);
  }
  for (const auto& [name, by_column] : words) {
    StandingsRow& row = result.rows.emplace_back();
    row.encoding = name;
    row.name = encoding_names[name];
    for (const std::string& column : result.columns) {
      const auto found = by_column.find(column);
      row.cells.push_back({.word = found == by_column.end()
                                       ? "not run"
                                       : fmt::format("{}", fmt::join(found->second, ", "))});
    }
  }
  return result;
}

}  // namespace

std::vector<Standings> standings(const std::vector<TaskRuns>& groups, StandingsBy by,
                                 double factor) {
  std::deque<Comparison> comparisons;
  for (const TaskRuns& group : groups) {
    if (group.is_gate()) continue;
    const std::string& metric = group.example().primary_metric;
    comparisons.push_back(std::move(compare(group, metric, better_of(group, metric)).front()));
  }
  const std::vector<Task> tasks = tasks_of(comparisons, by, factor);
  if (tasks.empty()) return {};
  const auto ranked = ranked_tasks(tasks);
  std::set<std::set<size_t>> sets;
  for (const auto& [name, of_name] : ranked) sets.insert(of_name);
  std::vector<Standings> tables;
  for (const std::set<size_t>& set : sets) {
    Names names;
    for (const auto& [name, of_name] : ranked) {
      if (std::ranges::includes(of_name, set)) names.push_back(name);
    }
    if (names.size() < 2) continue;  // a rank is one among others
    std::vector<const Task*> of_set;
    for (const size_t index : set) of_set.push_back(&tasks[index]);
    tables.push_back(table_of(names, of_set, factor));
  }
  if (tables.empty()) tables.push_back(words_of(tasks, factor));
  const auto size_of = [](const Standings& table) {
    int64_t count = 0;
    for (const int64_t in_column : table.tasks) count += in_column;
    return std::pair(-count, -static_cast<int64_t>(table.rows.size()));
  };
  std::ranges::stable_sort(tables, {}, size_of);
  std::vector<const Comparison*> measured;
  for (const Comparison& comparison : comparisons) measured.push_back(&comparison);
  const std::vector<Note> notes = notes_across(measured);
  for (Standings& table : tables) table.notes = notes;
  return tables;
}

}  // namespace relbias::results
