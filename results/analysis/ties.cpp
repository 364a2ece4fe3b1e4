// SPDX-License-Identifier: Apache-2.0
// results/analysis: the best of each column of a table, and what pairs of seeds do not tell from
// it.
#include "results/analysis/ties.h"

#include <algorithm>
#include <cmath>

namespace relbias::results {
namespace {

// Other rivals than the best itself that pairs of seeds do not tell from it.
bool mark_ties(const std::vector<Cell*>& rivals, const Cell& best, const std::string& better) {
  bool any = false;
  for (Cell* cell : rivals) {
    if (cell->best) continue;
    const PairedTest test = paired_test(paired_differences(best, *cell, better));
    cell->best = test.count >= 3 && !test.tells_apart();
    any = any || cell->best;
  }
  return any;
}

// The best of a column has rivals, and past the training size it has solved that size. Returns
// whether any other is tied with it.
bool mark_best_of(std::vector<Cell*> rivals, const std::string& better) {
  const auto mean = [](const Cell* cell) { return cell->summary.mean; };
  const auto [least, most] = std::ranges::minmax(rivals, {}, mean);
  const Cell& best = *(better == "lower" ? least : most);
  const double rounding = 1e-9 * std::abs(best.summary.mean);  // equal means may differ by it
  for (Cell* cell : rivals) {
    cell->best = std::abs(mean(cell) - best.summary.mean) <= rounding;
  }
  return mark_ties(rivals, best, better);
}

}  // namespace

void mark_best(Comparison& comparison, Notes& notes) {
  if (comparison.better.empty()) return;
  bool ties = false;
  const int64_t train_size = comparison.rows.front().repetitions->runs.front()->train_size;
  for (size_t i = 0; i < comparison.columns.size(); ++i) {
    const bool past = is_past(comparison.columns[i], train_size);
    std::vector<Cell*> rivals;
    size_t values = 0;
    for (ComparisonRow& row : comparison.rows) {
      Cell& cell = row.cells[i];
      if (cell.state != CellState::value) continue;
      ++values;
      if ((!past || row.solved()) && !row.diverged()) rivals.push_back(&cell);
    }
    if (values >= 2 && !rivals.empty()) ties = mark_best_of(rivals, comparison.better) || ties;
  }
  if (ties) notes.add("", "tied with the best: the same seeds do not tell the two apart");
}

std::vector<double> paired_differences(const Cell& left, const Cell& right,
                                       const std::string& better) {
  std::vector<double> differences;
  for (const auto& [seed, value] : left.values) {
    const auto other = right.values.find(seed);
    if (other == right.values.end()) continue;
    differences.push_back(better == "lower" ? other->second - value : value - other->second);
  }
  return differences;
}

std::vector<double> cell_values(const Cell& cell) {
  std::vector<double> values;
  for (const auto& [seed, value] : cell.values) values.push_back(value);
  return values;
}

}  // namespace relbias::results
