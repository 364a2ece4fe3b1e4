// SPDX-License-Identifier: Apache-2.0
// results/report/figures: paired differences with their intervals.
#include <fmt/format.h>

#include <cmath>

#include "results/report/figures/figures.h"

namespace relbias::results {
namespace {

// A point with its interval; 0 is no difference.
Json point(const ComparisonRow& row, const Inference& found, const std::string& heading,
           const Palette& palette, bool open) {
  Json trace = line_trace(row, palette);
  const double d = found.terms.difference;
  trace.erase("line");
  trace["mode"] = "markers";
  trace["name"] = row.label + ", " + heading;
  trace["marker"]["size"] = 9;
  if (open) trace["marker"]["symbol"] = open_symbol(palette.style_of(row.label));
  trace["x"] = {d};
  trace["y"] = {row.label + ", " + heading};
  trace["error_x"] = {{"type", "data"},
                      {"symmetric", false},
                      {"array", {found.interval.high - d}},
                      {"arrayminus", {d - found.interval.low}},
                      {"color", palette.style_of(row.label).colour}};
  trace["text"] = {fmt::format("{:+.3g} [{:.3g}, {:.3g}], p = {:.2g}, {} seed{}, {} samples", d,
                               found.interval.low, found.interval.high, found.p, found.terms.seeds,
                               found.terms.seeds == 1 ? "" : "s", found.terms.samples)};
  trace["hovertemplate"] = "%{text}<extra>%{fullData.name}</extra>";
  trace["showlegend"] = false;
  return trace;
}

}  // namespace

std::vector<Figure> forest_figures(const Comparison& comparison, const Palette& palette) {
  if (comparison.direction() == 0 || comparison.rows.size() < 2) return {};
  const ComparisonRow& baseline = comparison.rows.front();
  const int64_t trained =
      column_at(comparison.columns, 1, baseline.repetitions->runs.front()->train_size);
  const size_t last = comparison.columns.size() - 1;
  std::vector<size_t> columns;
  if (trained >= 0) columns.push_back(static_cast<size_t>(trained));
  if (columns.empty() || columns.front() != last) columns.push_back(last);
  Figure figure{.kind = "forest", .title = "paired differences from " + baseline.label};
  for (const size_t column : columns) {
    for (const ComparisonRow& row : comparison.rows) {
      const bool both = row.cells[column].state == CellState::value &&
                        baseline.cells[column].state == CellState::value;
      if (&row == &baseline || row.diverged() || baseline.diverged() || !both) continue;
      const Inference found = better_by(comparison, column, row, baseline);
      if (found.terms.seeds == 0 || std::isnan(found.interval.low)) continue;
      figure.data.push_back(point(row, found, comparison.columns[column].heading, palette,
                                  column != columns.front()));
    }
  }
  if (figure.data.empty()) return {};
  figure.caption = fmt::format(
      "{}: what each encoding is better by than {} in {}, over common seeds and the same test "
      "samples, with 95 % intervals; at the training size (filled) and at the largest (open). With "
      "one seed the interval is over samples alone: other seeds may differ more.",
      comparison.title, baseline.label, comparison.metric);
  figure.layout["xaxis"] = axis("better by, " + comparison.metric);
  figure.layout["xaxis"]["zeroline"] = true;
  figure.layout["yaxis"] = axis("");
  figure.layout["yaxis"]["automargin"] = true;
  figure.layout["yaxis"]["autorange"] = "reversed";
  figure.layout["height"] = 110 + 26 * figure.data.size();
  return {figure};
}

}  // namespace relbias::results
