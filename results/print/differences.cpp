// SPDX-License-Identifier: Apache-2.0
// results/print: every encoding less a baseline, over common seeds and samples, as texts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/print/sheet.h"

namespace relbias::results {
namespace {

// Without test samples there is a difference, and nothing to judge it by.
std::string plain_difference(const Cell& left, const Cell& right, int direction) {
  std::vector<double> differences;
  for (const auto& [seed, value] : left.values) {
    const auto other = right.values.find(seed);
    if (other != right.values.end()) differences.push_back(direction * (value - other->second));
  }
  if (differences.empty()) return "no common seed";
  return fmt::format("{:+.3g} ({} seed{})", summarise(differences).mean, differences.size(),
                     differences.size() == 1 ? "" : "s");
}

// One column: each row less the baseline.
struct Differences {
  std::vector<const ComparisonRow*> rows;
  std::vector<Inference> found;  // of each row
  std::vector<double> adjusted;  // p after Holm; NaN where there is none
};

Differences differences_in(const Comparison& comparison, size_t column,
                           const ComparisonRow& baseline) {
  Differences differences;
  std::vector<double> p;
  std::vector<size_t> judged;
  for (const ComparisonRow& row : comparison.rows) {
    if (&row == &baseline) continue;
    differences.rows.push_back(&row);
    differences.found.push_back(better_by(comparison, column, row, baseline));
    differences.adjusted.push_back(not_given);
    const bool is_result = !row.diverged() && !baseline.diverged();
    if (!is_result || differences.found.back().terms.seeds < 2) continue;
    judged.push_back(differences.found.size() - 1);
    p.push_back(differences.found.back().p);
  }
  const std::vector<double> adjusted = holm(p);
  for (size_t i = 0; i < judged.size(); ++i) differences.adjusted[judged[i]] = adjusted[i];
  return differences;
}

std::string failing_text(const ComparisonRow& row) {
  return fmt::format("diverged or failed in {} of {}", row.failing, row.planned);
}

std::string difference_text(const Differences& differences, size_t index, size_t column,
                            const ComparisonRow& baseline, int direction) {
  const ComparisonRow& row = *differences.rows[index];
  const Cell &left = row.cells[column], &right = baseline.cells[column];
  for (const Cell* cell : {&left, &right}) {
    if (cell->state != CellState::value) return word_for(cell->state);
  }
  if (row.diverged()) return failing_text(row);
  if (baseline.diverged()) return "baseline " + failing_text(baseline);
  const Inference& found = differences.found[index];
  if (found.terms.seeds == 0) {
    const bool other_samples = !left.samples.empty() && !right.samples.empty() &&
                               left.samples.samples != right.samples.samples;
    return other_samples ? "other samples" : plain_difference(left, right, direction);
  }
  std::string text = fmt::format("{:+.3g} [{:+.3g}, {:+.3g}]", found.terms.difference,
                                 found.interval.low, found.interval.high);
  if (found.terms.seeds == 1) return text + " (1 seed)";
  return text +
         fmt::format(", p = {:.3g} ({} seeds)", differences.adjusted[index], found.terms.seeds);
}

}  // namespace

Sheet differences_from(const ComparisonRow& baseline, const Comparison& comparison) {
  Sheet sheet{.title = fmt::format("{}: less {}", comparison.title, baseline.label),
              .facts = fmt::format("{}, positive where better, mean [95 % interval] over common "
                                   "seeds and test samples, p after Holm over the rows of a column",
                                   comparison.metric),
              .headings = {"encoding"}};
  std::vector<Differences> columns;
  for (size_t i = 0; i < comparison.columns.size(); ++i) {
    sheet.headings.push_back(comparison.columns[i].heading);
    columns.push_back(differences_in(comparison, i, baseline));
  }
  const size_t rows = comparison.rows.size() - 1;
  for (size_t row = 0; row < rows; ++row) {
    const ComparisonRow& of = *columns.front().rows[row];
    std::vector<SheetCell> cells = {{of.label, of.label_mark}};
    for (size_t i = 0; i < columns.size(); ++i) {
      cells.push_back({difference_text(columns[i], row, i, baseline, comparison.direction()), ""});
    }
    sheet.rows.push_back(std::move(cells));
  }
  sheet.notes = notes_on_rows(comparison);
  return sheet;
}

}  // namespace relbias::results
