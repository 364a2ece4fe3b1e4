// SPDX-License-Identifier: Apache-2.0
// results/analysis: what guesses, and the best of each column with all that is not told from it.
#include "results/analysis/stars.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace relbias::results {
namespace {

constexpr double uneven_factor = 5;
constexpr size_t listed_columns = 6;

// One column of a comparison: the cells that hold values, and whose they are.
struct Column {
  std::vector<ComparisonRow*> rows;
  std::vector<Cell*> cells;
};

Column column_of(Comparison& comparison, size_t index) {
  Column column;
  for (ComparisonRow& row : comparison.rows) {
    if (row.cells[index].state != CellState::value) continue;
    column.rows.push_back(&row);
    column.cells.push_back(&row.cells[index]);
  }
  return column;
}

bool is_guessing(const Cell& cell, int direction) {
  if (direction == 0 || cell.guessed.empty()) return false;
  const Terms terms = terms_of(cell.samples, cell.guessed);
  const double p = infer(direction > 0 ? terms : terms.reversed()).p_above();
  return p > significance;  // not where nothing can be said: one seed, one sample
}

void mark_uneven(const Column& column) {
  if (column.cells.size() < 3) return;
  for (Cell* cell : column.cells) {
    std::vector<double> others;
    for (const Cell* other : column.cells) {
      const double deviation = other->summary.deviation;
      if (other != cell && std::isfinite(deviation)) others.push_back(deviation);
    }
    const double sampling = std::sqrt(cell->inference.terms.over_samples);
    cell->uneven = others.size() >= 2 && cell->summary.deviation > uneven_factor * median(others) &&
                   cell->summary.deviation > sampling;
    if (cell->uneven)
      cell->remarks.emplace_back("uneven seeds: they vary far more than other rows'");
  }
}

// A difference that would have been told: the middle one of the best against its rivals.
double least_told(const ColumnInference& found) {
  std::vector<double> least;
  for (size_t i = 0; i < found.led.size(); ++i) {
    if (!found.is_judged(i)) continue;
    least.push_back(found.led[i].least_told(significance / static_cast<double>(found.pairs)));
  }
  return median(least);
}

std::string listed(const std::vector<std::string>& columns) {
  if (columns.size() <= listed_columns) return fmt::format("{}", fmt::join(columns, ", "));
  return fmt::format("{} to {} ({} columns)", columns.front(), columns.back(), columns.size());
}

// What the stars of all columns come to.
struct Told {
  std::vector<std::string> undecided;    // columns without a star
  std::vector<std::string> incomplete;   // likewise, as no row there has all planned seeds
  std::vector<std::string> differences;  // that would have been told: `0.031 at 2x`
  bool is_pair = false;
};

void star_column(Comparison& comparison, size_t index, Told& told) {
  const Column column = column_of(comparison, index);
  std::vector<Rival> rivals;
  bool any_worse = false;
  std::vector<Cell*> cells;  // of the rivals
  for (size_t i = 0; i < column.rows.size(); ++i) {
    const ComparisonRow& row = *column.rows[i];
    Cell& cell = *column.cells[i];
    any_worse = any_worse || cell.guessing || row.diverged();
    if (row.diverged()) continue;
    rivals.push_back({&cell.samples, row.is_complete(cell), !cell.guessing});
    cells.push_back(&cell);
  }
  const ColumnInference found = infer_column(rivals, comparison.direction());
  comparison.pools[index] = found.pool;
  if (column.cells.size() < 2) return;
  const auto is_complete = [](const Rival& rival) { return rival.complete; };
  if (std::ranges::none_of(rivals, is_complete)) {
    told.incomplete.push_back(comparison.columns[index].heading);
  }
  if (found.best < 0) return;
  const auto best = static_cast<size_t>(found.best);
  if (rivals[best].values->seeds.size() < 2) return;  // other seeds may differ more
  for (size_t i = 0; i < rivals.size(); ++i) {
    cells[i]->best = i == best || (rivals[i].may_win && found.is_judged(i) && !found.is_told(i));
    any_worse = any_worse || found.is_told(i);
  }
  const std::string& heading = comparison.columns[index].heading;
  if (!any_worse) {
    for (Cell* cell : cells) cell->best = false;
    told.undecided.push_back(heading);
  }
  if (const double least = least_told(found); std::isfinite(least)) {
    told.differences.push_back(fmt::format("{:.2g} at {}", least, heading));
    told.is_pair = told.is_pair || found.pool.rows == 2;
  }
}

}  // namespace

void judge_cells(Comparison& comparison) {
  for (size_t i = 0; i < comparison.columns.size(); ++i) {
    const Column column = column_of(comparison, i);
    for (Cell* cell : column.cells) {
      cell->inference = infer(terms_of(cell->samples));
      cell->guessing = is_guessing(*cell, comparison.direction());
      if (cell->guessing) cell->remarks.emplace_back("not above guessing");
    }
    mark_uneven(column);
  }
}

void mark_best(Comparison& comparison, Notes& notes) {
  comparison.pools.resize(comparison.columns.size());
  if (comparison.direction() == 0) return;
  Told told;
  for (size_t i = 0; i < comparison.columns.size(); ++i) star_column(comparison, i, told);
  if (!told.undecided.empty()) {
    notes.add("", "no star: no row is told from the best at " + listed(told.undecided));
  }
  if (!told.incomplete.empty()) {
    notes.add("", "no star: no row has all planned seeds at " + listed(told.incomplete));
  }
  if (told.differences.empty()) return;
  notes.add("", fmt::format("told would have been a difference of {}{}", listed(told.differences),
                            told.is_pair ? "; of two rows, with nothing to pool their spread over "
                                           "seeds with"
                                         : ""));
}

}  // namespace relbias::results
