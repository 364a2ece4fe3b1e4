// SPDX-License-Identifier: Apache-2.0
// results/print: every encoding less a baseline, over paired seeds, as texts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/print/sheet.h"

namespace relbias::results {
namespace {

std::string difference_text(const Cell& left, const Cell& right, const std::string& better) {
  if (left.state != CellState::value || right.state != CellState::value) {
    return word_for(left.state != CellState::value ? left.state : right.state);
  }
  const PairedTest test = paired_test(paired_differences(left, right, better));
  if (test.count == 0) return "no common seed";
  std::string text = fmt::format("{:+.3g}", test.mean);
  if (test.count < 2) return text + " (1 seed)";
  return text + fmt::format(" [{:+.3g}, {:+.3g}], p = {:.3g} ({} seeds)", test.interval.low,
                            test.interval.high, test.p, test.count);
}

}  // namespace

Sheet differences_from(const ComparisonRow& baseline, const Comparison& comparison) {
  Sheet sheet{.title = fmt::format("{}: less {}", comparison.title, baseline.label),
              .facts = fmt::format("{}, positive where better, mean [95 % bootstrap interval] over "
                                   "common seeds, p of the sign-flip test",
                                   comparison.metric),
              .headings = {"encoding"}};
  for (const ComparisonColumn& column : comparison.columns) {
    sheet.headings.push_back(column.heading);
  }
  for (const ComparisonRow& row : comparison.rows) {
    if (&row == &baseline) continue;
    std::vector<SheetCell> cells = {{row.label, row.label_mark}};
    for (size_t i = 0; i < row.cells.size(); ++i) {
      cells.push_back({difference_text(row.cells[i], baseline.cells[i], comparison.better), ""});
    }
    sheet.rows.push_back(std::move(cells));
  }
  sheet.notes = notes_on_rows(comparison);
  return sheet;
}

}  // namespace relbias::results
