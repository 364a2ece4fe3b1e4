// SPDX-License-Identifier: Apache-2.0
// results/report/figures: quality against cost.
#include <fmt/format.h>

#include <cmath>

#include "results/report/figures/figures.h"

namespace relbias::results {
namespace {

struct Place {
  size_t column;
  bool open;
};

// The training size, and the largest beside it.
std::vector<Place> places_of(const Comparison& comparison) {
  const RunRecord& run = *comparison.rows.front().repetitions->runs.front();
  const int64_t trained = column_at(comparison.columns, 1, run.train_size);
  std::vector<Place> places;
  if (trained >= 0) places.push_back({static_cast<size_t>(trained), false});
  const size_t last = comparison.columns.size() - 1;
  if (places.empty() || places.front().column != last) places.push_back({last, true});
  return places;
}

Json point(const ComparisonRow& row, const Comparison& comparison, const Place& place,
           const Palette& palette) {
  const std::string& heading = comparison.columns[place.column].heading;
  Json trace = line_trace(row, palette);
  trace.erase("line");
  trace["mode"] = "markers";
  trace["name"] = row.label + ", " + heading;
  if (place.open) trace["marker"]["symbol"] = open_symbol(palette.style_of(row.label));
  trace["marker"]["size"] = 11;
  trace["x"] = {row.tokens_per_second};
  trace["y"] = {row.cells[place.column].summary.mean};
  trace["text"] = {
      fmt::format("{} position parameters{}", row.parameters_position,
                  std::isnan(row.speed) ? "" : fmt::format(", {:.2f} of none's speed", row.speed))};
  trace["hovertemplate"] =
      "%{y:.4g} at %{x:.0f} tokens/s<br>%{text}<extra>%{fullData.name}</extra>";
  return trace;
}

}  // namespace

std::vector<Figure> cost_figures(const Comparison& comparison, const Palette& palette) {
  Figure figure{.kind = "cost", .title = comparison.metric + " against training speed"};
  for (const Place& place : places_of(comparison)) {
    for (const ComparisonRow& row : comparison.rows) {
      const bool drawn = row.cells[place.column].state == CellState::value;
      if (!drawn || !std::isfinite(row.tokens_per_second)) continue;
      figure.data.push_back(point(row, comparison, place, palette));
    }
  }
  if (figure.data.empty()) return {};
  figure.caption = fmt::format(
      "{}: {} at the training size (filled) and at the largest size (open) against training tokens "
      "per second; {}.",
      comparison.title, comparison.metric,
      comparison.better == "lower"    ? "better is to the lower right"
      : comparison.better == "higher" ? "better is to the upper right"
                                      : "faster is to the right");
  figure.layout["xaxis"] = axis("training tokens per second");
  figure.layout["xaxis"]["rangemode"] = "tozero";
  figure.layout["yaxis"] = axis(comparison.metric);
  return {figure};
}

}  // namespace relbias::results
