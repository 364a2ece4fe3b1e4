// SPDX-License-Identifier: Apache-2.0
// results/print: standings as a table of texts.
#include <fmt/format.h>

#include <cmath>

#include "results/analysis/standings.h"

namespace relbias::results {
namespace {

SheetCell cell_of(const Standing& standing, int64_t tasks) {
  if (standing.tasks == 0) return {standing.word, ""};
  std::string text = fmt::format("{:.3g}", standing.rank);
  if (std::isfinite(standing.value)) text += " (" + number_text(standing.value) + ")";
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
  std::string score = std::isnan(row.score) ? "-" : fmt::format("{:.3f}", row.score);
  if (std::isfinite(row.interval.low)) {
    score += fmt::format(" [{:.3f}, {:.3f}]", row.interval.low, row.interval.high);
  }
  return {score, ""};
}

// The rank that competes in a column of the sheet; NaN where it does not: in all, only an encoding
// that was ranked everywhere can be the best.
double competing_rank(const StandingsRow& row, size_t column) {
  if (column < row.cells.size()) return row.cells[column].rank;
  return row.columns == static_cast<int64_t>(row.cells.size()) ? row.rank : not_given;
}

void mark_best_ranks(const Standings& standings, Sheet& sheet) {
  for (size_t column = 0; column <= standings.columns.size(); ++column) {
    double best = INFINITY;
    for (const StandingsRow& row : standings.rows) {
      if (competing_rank(row, column) < best) best = competing_rank(row, column);
    }
    for (size_t i = 0; i < sheet.rows.size(); ++i) {
      sheet.rows[i][column + 1].best = competing_rank(standings.rows[i], column) == best;
    }
  }
}

}  // namespace

Sheet sheet_of(const Standings& standings) {
  Sheet sheet;
  sheet.title = fmt::format("Ranks at {:.4g}x the training size", standings.factor);
  sheet.facts = "mean rank over tasks, 1 is best";
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
       "an encoding's best form in a task stands for it; in parentheses the metric where a "
       "column is one task; score: interquartile mean over tasks and seeds of the share of the "
       "task's best, with its 95 % bootstrap interval"});
  return sheet;
}

}  // namespace relbias::results
