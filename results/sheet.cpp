// SPDX-License-Identifier: Apache-2.0
// results: a comparison as texts: how numbers, states and marks are written.
#include "results/sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace relbias {
namespace {

// Three decimals below ten, one less for each further digit; very small numbers by their digits.
std::string number(double value, double scale) {
  const double size = std::abs(scale);
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (size > 0 && size < 0.01) return fmt::format("{:.2e}", value);
  return fmt::format("{:.{}f}", value, size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0);
}

// `done`: of the row, so that a cell of fewer says so.
SheetCell sheet_cell(const Cell& cell, int64_t done) {
  switch (cell.state) {
    case CellState::missing:
      return {"-", cell.mark};
    case CellState::undefined:
      return {"undefined", cell.mark};
    case CellState::diverged:
      return {"diverged", cell.mark};
    case CellState::failed:
      return {"failed", cell.mark};
    case CellState::running:
      return {"running", cell.mark};
    case CellState::not_finite:
      return {number(cell.summary.mean, 0), cell.mark};
    case CellState::value:
      break;
  }
  const Summary& summary = cell.summary;
  std::string text = number(summary.mean, summary.mean);
  if (summary.count > 1) text += " ± " + number(summary.deviation, summary.mean);
  if (summary.count != done) text += fmt::format(" ({})", summary.count);
  return {text, cell.mark, cell.best};
}

// Messages of programs may hold line breaks and terminal codes.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }, ' ');
  return text;
}

bool all_alike(const std::vector<ComparisonColumn>& columns) {
  return std::ranges::all_of(columns, [&](const ComparisonColumn& column) {
    return column.chance == columns.front().chance ||
           (std::isnan(column.chance) && std::isnan(columns.front().chance));
  });
}

}  // namespace

Sheet sheet_of(const Comparison& comparison) {
  Sheet sheet;
  sheet.title = one_line(comparison.title);
  sheet.facts = one_line(fmt::format("{}", fmt::join(comparison.facts, ", ")));
  for (const Note& note : comparison.notes) sheet.notes.push_back({note.mark, one_line(note.text)});
  const bool one_chance = all_alike(comparison.columns);
  if (one_chance && std::isfinite(comparison.columns.front().chance)) {
    sheet.facts += fmt::format(", chance {:.4g}", comparison.columns.front().chance);
  }
  const bool has_speed = std::ranges::any_of(
      comparison.rows, [](const ComparisonRow& row) { return std::isfinite(row.speed); });

  sheet.notes.push_back(
      {"", has_speed
               ? "parameters: of the encoding; speed: training tokens per second relative to none"
               : "parameters: of the encoding"});

  sheet.headings = {"encoding"};
  for (const ComparisonColumn& column : comparison.columns)
    sheet.headings.push_back(one_line(column.heading));
  sheet.headings.insert(sheet.headings.end(), {"runs", "parameters"});
  if (has_speed) sheet.headings.emplace_back("speed");

  for (const ComparisonRow& row : comparison.rows) {
    std::vector<SheetCell> cells = {{one_line(row.label), row.label_mark}};
    for (const Cell& cell : row.cells) cells.push_back(sheet_cell(cell, row.done));
    cells.push_back({row.done == row.runs ? fmt::format("{}", row.runs)
                                          : fmt::format("{} of {}", row.done, row.runs),
                     row.runs_mark});
    cells.push_back({fmt::format("{}", row.parameters_position), ""});
    if (has_speed)
      cells.push_back({std::isnan(row.speed) ? "-" : fmt::format("{:.2f}", row.speed), ""});
    sheet.rows.push_back(std::move(cells));
  }
  if (!one_chance) {
    std::vector<SheetCell> cells = {{"chance", ""}};
    for (const ComparisonColumn& column : comparison.columns) {
      cells.push_back({std::isnan(column.chance) ? "-" : number(column.chance, column.chance), ""});
    }
    cells.resize(sheet.headings.size());
    sheet.rows.push_back(std::move(cells));
  }
  return sheet;
}

}  // namespace relbias
