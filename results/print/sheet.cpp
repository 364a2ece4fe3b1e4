// SPDX-License-Identifier: Apache-2.0
// results/print: a comparison as texts: how numbers, states and marks are written.
#include "results/print/sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace relbias::results {
namespace {

// `done`: of the row, so that a cell of fewer says so.
SheetCell sheet_cell(const Cell& cell, int64_t done, Spread spread) {
  if (cell.state == CellState::not_finite) return {number_text(cell.summary.mean), cell.mark};
  if (cell.state != CellState::value) return {word_for(cell.state), cell.mark};
  const Summary& summary = cell.summary;
  const Interval& interval = cell.inference.interval;
  std::string text = number_text(summary.mean);
  if (spread == Spread::interval && std::isfinite(interval.low)) {
    text += fmt::format(" [{}, {}]", number_text(interval.low, summary.mean),
                        number_text(interval.high, summary.mean));
  } else if (summary.count > 1) {
    text += " ± " + number_text(summary.deviation, summary.mean);
  }
  if (summary.count != done) text += fmt::format(" ({})", summary.count);
  return {text, cell.mark, cell.best, cell.guessing};
}

// Messages of programs may hold line breaks and terminal codes.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }, ' ');
  return text;
}

// "4x"; "8x+" where no larger size was evaluated.
std::string reach_text(const Reach& reach) {
  if (std::isnan(reach.factor)) return "-";
  return fmt::format("{:.4g}x{}", reach.factor, reach.at_least ? "+" : "");
}

bool all_alike(const std::vector<double>& values) {
  return std::ranges::all_of(values, [&](double value) {
    return value == values.front() || (std::isnan(value) && std::isnan(values.front()));
  });
}

// "mean [95 % interval] or ± standard deviation over seeds": what stands in the cells.
std::string spread_text(const Comparison& comparison, Spread spread) {
  bool interval = false, deviation = false;
  for (const ComparisonRow& row : comparison.rows) {
    for (const Cell& cell : row.cells) {
      const bool has_interval =
          spread == Spread::interval && std::isfinite(cell.inference.interval.low);
      interval = interval || has_interval;
      deviation = deviation || (!has_interval && cell.summary.count > 1);
    }
  }
  if (!interval && !deviation) return "";
  if (!deviation) return ", mean [95 % interval]";
  return interval ? ", mean [95 % interval] or ± standard deviation over seeds"
                  : ", mean ± standard deviation over seeds";
}

std::string seeds_text(const ComparisonRow& row) {
  return row.done == row.planned ? fmt::format("{}", row.done)
                                 : fmt::format("{} of {} seeds", row.done, row.planned);
}

// A row of one number a column; the columns behind those are empty.
void add_numbers(Sheet& sheet, const std::string& label, const std::vector<double>& values) {
  std::vector<SheetCell> cells = {{label, ""}};
  for (const double value : values) {
    cells.push_back({std::isnan(value) ? "-" : number_text(value), ""});
  }
  cells.resize(sheet.headings.size());
  sheet.rows.push_back(std::move(cells));
}

// What guessing gives where columns differ in it, and chance where it is something else.
void add_guessing(Sheet& sheet, const Comparison& comparison) {
  std::vector<double> chances;
  bool differ = false;
  for (size_t i = 0; i < comparison.columns.size(); ++i) {
    chances.push_back(comparison.columns[i].chance);
    differ = differ || std::abs(chances[i] - comparison.guessing[i]) > 1e-9;
  }
  if (!all_alike(comparison.guessing)) add_numbers(sheet, "guessing", comparison.guessing);
  if (differ) add_numbers(sheet, "chance", chances);
}

// Errors of bins, which hold unlike samples, over the trivial rule's in the same bin.
void add_over_guessing(Sheet& sheet, const Comparison& comparison) {
  const auto is_bin = [](const ComparisonColumn& column) { return !std::isfinite(column.factor); };
  if (comparison.direction() >= 0 || std::ranges::none_of(comparison.columns, is_bin)) return;
  for (const ComparisonRow& row : comparison.rows) {
    std::vector<double> shares;
    for (size_t i = 0; i < row.cells.size(); ++i) {
      const double guessing = comparison.guessing[i];
      const bool known = row.cells[i].state == CellState::value && guessing > 0;
      shares.push_back(known ? row.cells[i].summary.mean / guessing : not_given);
    }
    const auto known = [](double share) { return !std::isnan(share); };
    if (std::ranges::any_of(shares, known)) add_numbers(sheet, row.label + " / guessing", shares);
  }
}

}  // namespace

std::string number_text(double value) { return number_text(value, value); }

std::string number_text(double value, double scale) {
  const double size = std::abs(scale);
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (size > 0 && size < 0.01) return fmt::format("{:.2e}", value);
  return fmt::format("{:.{}f}", value, size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0);
}

Sheet sheet_of(const Comparison& comparison, Spread spread) {
  Sheet sheet;
  sheet.title = one_line(comparison.title);
  sheet.facts = one_line(fmt::format("{}", fmt::join(comparison.facts, ", ")));
  for (const Note& note : comparison.notes) sheet.notes.push_back({note.mark, one_line(note.text)});
  sheet.facts += spread_text(comparison, spread);
  if (all_alike(comparison.guessing) && std::isfinite(comparison.guessing.front())) {
    sheet.facts += fmt::format(", guessing {:.4g}", comparison.guessing.front());
  }
  const bool has_speed = std::ranges::any_of(
      comparison.rows, [](const ComparisonRow& row) { return std::isfinite(row.speed); });

  const bool has_reach = std::ranges::any_of(
      comparison.columns, [](const ComparisonColumn& column) { return column.factor > 1 + 1e-6; });
  if (has_reach) {
    sheet.notes.push_back({"",
                           "keeps 90 %: largest size up to which the metric keeps 90 % of its "
                           "value at 1x; + none larger was evaluated"});
  }
  sheet.notes.push_back(
      {"", has_speed
               ? "parameters: of the encoding; speed: training tokens per second relative to none"
               : "parameters: of the encoding"});

  sheet.headings = {"encoding"};
  for (const ComparisonColumn& column : comparison.columns)
    sheet.headings.push_back(one_line(column.heading));
  if (has_reach) sheet.headings.emplace_back("keeps 90 %");
  sheet.headings.insert(sheet.headings.end(), {"seeds", "parameters"});
  if (has_speed) sheet.headings.emplace_back("speed");
  const bool has_chosen = std::ranges::any_of(
      comparison.rows, [](const ComparisonRow& row) { return !row.chosen.empty(); });
  if (has_chosen) sheet.headings.emplace_back("chosen");

  for (const ComparisonRow& row : comparison.rows) {
    std::vector<SheetCell> cells = {{one_line(row.label), row.label_mark}};
    for (const Cell& cell : row.cells) cells.push_back(sheet_cell(cell, row.done, spread));
    if (has_reach) cells.push_back({reach_text(row.reach), ""});
    cells.push_back({seeds_text(row), row.runs_mark});
    cells.push_back({fmt::format("{}", row.parameters_position), ""});
    if (has_speed)
      cells.push_back({std::isnan(row.speed) ? "-" : fmt::format("{:.2f}", row.speed), ""});
    if (has_chosen) cells.push_back({row.chosen.empty() ? "-" : row.chosen, ""});
    sheet.rows.push_back(std::move(cells));
  }
  add_guessing(sheet, comparison);
  add_over_guessing(sheet, comparison);
  return sheet;
}

}  // namespace relbias::results
