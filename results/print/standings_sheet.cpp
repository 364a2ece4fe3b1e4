// SPDX-License-Identifier: Apache-2.0
// results/print: standings as a table of texts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "results/analysis/across/standings.h"
#include "results/analysis/notes/underneath.h"

namespace relbias::results {
namespace {

SheetCell cell_of(const Standing& standing, int64_t tasks) {
  if (standing.tasks == 0) return {standing.word.empty() ? "-" : standing.word, ""};
  std::string text = fmt::format("{:.3g}", standing.rank);
  if (std::isfinite(standing.value)) text += " (" + number_text(standing.value) + ")";
  if (!standing.word.empty()) text += ", " + standing.word;
  if (standing.tasks < tasks) text += fmt::format(" [{} of {}]", standing.tasks, tasks);
  return {text, ""};
}

SheetCell overall_cell(const StandingsRow& row) {
  const auto all = static_cast<int64_t>(row.cells.size());
  std::string rank = std::isnan(row.rank) ? "-" : fmt::format("{:.3g}", row.rank);
  if (row.columns < all && row.columns > 0) rank += fmt::format(" [{} of {}]", row.columns, all);
  return {rank, ""};
}

SheetCell score_cell(const StandingsRow& row) {
  const MeanScore& found = row.score;
  if (std::isnan(found.mean)) return {"-", ""};
  std::string text = fmt::format("{:.3f}", std::max(0.0, found.mean));
  if (std::isfinite(found.interval.low)) {
    text += fmt::format(" [{:.3f}, {:.3f}]", found.interval.low, found.interval.high);
  }
  return {text, ""};
}

void mark_best_ranks(const Standings& standings, Sheet& sheet) {
  for (size_t column = 0; column < standings.columns.size(); ++column) {
    double best = INFINITY;
    for (const StandingsRow& row : standings.rows) best = std::min(best, row.cells[column].rank);
    for (size_t i = 0; i < sheet.rows.size(); ++i) {
      const Standing& cell = standings.rows[i].cells[column];
      sheet.rows[i][column + 1].best = cell.rank == best && cell.word.empty();
      sheet.rows[i][column + 1].grey = cell.word == "not above guessing";
    }
  }
  for (size_t i = 0; i < sheet.rows.size(); ++i) {
    const auto& best = standings.best;
    sheet.rows[i].back().best = std::ranges::find(best, standings.rows[i].encoding) != best.end();
  }
}

std::string improvement_text(const Improvement& found) {
  std::string text = fmt::format("{:.2f}", found.probability);
  if (std::isfinite(found.interval.low)) {
    text += fmt::format(" [{:.2f}, {:.2f}]", found.interval.low, found.interval.high);
  }
  return text;
}

SheetCell gate_cell(const Comparison& comparison, const std::string& label, double factor) {
  const int64_t column = column_at(comparison.columns, factor,
                                   comparison.rows.front().repetitions->runs.front()->train_size);
  const auto row = std::ranges::find(comparison.rows, label, &ComparisonRow::label);
  if (column < 0 || row == comparison.rows.end()) return {"-", ""};
  const Cell& cell = row->cells[static_cast<size_t>(column)];
  if (cell.state != CellState::value) return {word_for(cell.state), ""};
  if (row->diverged()) return {"diverged", ""};
  std::string text = number_text(cell.summary.mean);
  const Interval& interval = cell.inference.interval;
  if (std::isfinite(interval.low)) {
    text += fmt::format(" [{}, {}]", number_text(interval.low, cell.summary.mean),
                        number_text(interval.high, cell.summary.mean));
  }
  return {text, "", false, cell.guessing};
}

bool has_size(const Comparison& comparison, double factor) {
  const RunRecord& run = *comparison.rows.front().repetitions->runs.front();
  return column_at(comparison.columns, factor, run.train_size) >= 0;
}

}  // namespace

Sheet sheet_of(const Standings& standings) {
  Sheet sheet;
  sheet.title = fmt::format("Ranks at {:.4g}x the training size", standings.factor);
  sheet.facts = "benchmark tasks alone, mean rank over tasks, 1 is best";
  sheet.headings = {"encoding"};
  for (const std::string& column : standings.columns) sheet.headings.push_back(column);
  sheet.headings.insert(sheet.headings.end(), {"overall", "score"});
  for (const StandingsRow& row : standings.rows) {
    std::vector<SheetCell> cells = {{row.encoding, ""}};
    for (size_t i = 0; i < row.cells.size(); ++i) {
      cells.push_back(cell_of(row.cells[i], standings.tasks[i]));
    }
    cells.push_back(overall_cell(row));
    cells.push_back(score_cell(row));
    sheet.rows.push_back(std::move(cells));
  }
  mark_best_ranks(standings, sheet);
  sheet.notes.push_back(
      {"",
       "in parentheses the metric where a column is one task; score: mean over tasks of (value - "
       "guessing) / (ceiling - guessing), of errors (guessing - value) / guessing, with its 95 % "
       "interval over seeds and test samples; marked is the best score and all that is not told "
       "from it"});
  sheet.notes.push_back(
      {"",
       "every encoding here has all of these tasks with two seeds or more; what is not above "
       "guessing shares the last ranks, what diverged comes after it"});
  sheet.notes.insert(sheet.notes.end(), standings.notes.begin(), standings.notes.end());
  return sheet;
}

Sheet improvement_sheet(const Standings& standings) {
  Sheet sheet;
  sheet.title =
      fmt::format("Probability of improvement at {:.4g}x the training size", standings.factor);
  sheet.facts = "of the row over the column, mean over tasks of the share of seed pairs won";
  sheet.headings = {"encoding"};
  for (const StandingsRow& row : standings.rows) sheet.headings.push_back(row.encoding);
  for (size_t i = 0; i < standings.improving.size(); ++i) {
    std::vector<SheetCell> cells = {{standings.rows[i].encoding, ""}};
    for (size_t j = 0; j < standings.rows.size(); ++j) {
      cells.push_back({i == j ? "-" : improvement_text(standings.improving[i][j]), ""});
    }
    sheet.rows.push_back(std::move(cells));
  }
  sheet.notes.push_back({"", "95 % intervals from 5 seeds of each on"});
  sheet.notes.insert(sheet.notes.end(), standings.notes.begin(), standings.notes.end());
  return sheet;
}

Sheet gates_sheet(const std::vector<TaskRuns>& groups, double factor) {
  std::vector<Comparison> gates;
  std::set<std::string> labels;
  for (const TaskRuns& group : groups) {
    const std::string& metric = group.example().primary_metric;
    if (!group.is_gate()) continue;
    Comparison comparison = std::move(compare(group, metric, better_of(group, metric)).front());
    if (!has_size(comparison, factor)) continue;
    for (const ComparisonRow& row : comparison.rows) labels.insert(row.label);
    gates.push_back(std::move(comparison));
  }
  Sheet sheet;
  if (gates.empty()) return sheet;
  sheet.title = fmt::format("Gates at {:.4g}x the training size", factor);
  sheet.facts = "each isolates one ability: no part of ranks, scores or advice";
  sheet.headings = {"encoding"};
  for (const Comparison& gate : gates) {
    sheet.headings.push_back(gate.title.substr(gate.title.find(": ") + 2) + ", " + gate.metric);
  }
  for (const std::string& label : labels) {
    std::vector<SheetCell> cells = {{label, ""}};
    for (const Comparison& gate : gates) cells.push_back(gate_cell(gate, label, factor));
    sheet.rows.push_back(std::move(cells));
  }
  for (const Comparison& gate : gates) {
    const RunRecord& run = *gate.rows.front().repetitions->runs.front();
    if (!run.ability.empty()) {
      sheet.notes.push_back({"", run.task + " isolates " + run.ability});
    }
  }
  sheet.notes.push_back({"", "grey: not above guessing"});
  std::vector<const Comparison*> measured;
  for (const Comparison& gate : gates) measured.push_back(&gate);
  const std::vector<Note> notes = notes_across(measured);
  sheet.notes.insert(sheet.notes.end(), notes.begin(), notes.end());
  return sheet;
}

}  // namespace relbias::results
