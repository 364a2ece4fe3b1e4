// SPDX-License-Identifier: Apache-2.0
// results/report/figures: metric against size.
#include <fmt/format.h>

#include <cmath>

#include "results/report/figures/figures.h"

namespace relbias::results {
namespace {

// Where a column stands: its factor, or for bins its heading.
Json place_of(const ComparisonColumn& column) {
  if (std::isfinite(column.factor)) return column.factor;
  return column.heading;
}

std::string hover_of(const Cell& cell) {
  std::string text = fmt::format("{:.4g}", cell.summary.mean);
  if (cell.summary.count > 1) text += fmt::format(" ± {:.2g}", cell.summary.deviation);
  const Interval interval = cell.inference.interval;
  if (std::isfinite(interval.low)) {
    text += fmt::format(", 95 % [{:.4g}, {:.4g}]", interval.low, interval.high);
  }
  return text + fmt::format(", {} seed{}", cell.summary.count, cell.summary.count == 1 ? "" : "s");
}

void add_mean(const ComparisonRow& row, const Comparison& comparison, const Palette& palette,
              Json& data) {
  Json trace = line_trace(row, palette);
  trace["text"] = Json::array();
  trace["hovertemplate"] = "%{text}<extra>%{fullData.name}, %{x}</extra>";
  for (size_t i = 0; i < row.cells.size(); ++i) {
    if (row.cells[i].state != CellState::value) continue;
    trace["x"].push_back(place_of(comparison.columns[i]));
    trace["y"].push_back(row.cells[i].summary.mean);
    trace["text"].push_back(hover_of(row.cells[i]));
  }
  if (!trace["x"].empty()) data.push_back(std::move(trace));
}

// Up along the upper ends and back along the lower.
void add_band(const ComparisonRow& row, const Comparison& comparison, const Palette& palette,
              Json& data) {
  std::vector<std::pair<Json, Interval>> ends;
  for (size_t i = 0; i < row.cells.size(); ++i) {
    if (row.cells[i].state != CellState::value) continue;
    const Interval interval = row.cells[i].inference.interval;
    if (std::isfinite(interval.low)) ends.emplace_back(place_of(comparison.columns[i]), interval);
  }
  if (ends.size() < 2) return;
  Json band = line_trace(row, palette);
  band.erase("marker");
  band["mode"] = "lines";
  band["line"] = {{"width", 0}};
  band["fill"] = "toself";
  band["fillcolor"] = palette.style_of(row.label).colour + "30";
  band["hoverinfo"] = "skip";
  band["showlegend"] = false;
  band["meta"]["role"] = "band";
  for (auto end = ends.begin(); end != ends.end(); ++end) {
    band["x"].push_back(end->first);
    band["y"].push_back(end->second.high);
  }
  for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
    band["x"].push_back(end->first);
    band["y"].push_back(end->second.low);
  }
  data.push_back(std::move(band));
}

void add_seeds(const ComparisonRow& row, const Comparison& comparison, const Palette& palette,
               Json& data) {
  std::map<int64_t, Json> traces;
  for (size_t i = 0; i < row.cells.size(); ++i) {
    for (const auto& [seed, value] : row.cells[i].values) {
      if (!traces.contains(seed)) {
        if (traces.size() == shown_seeds) continue;
        traces[seed] = seed_trace(row, seed, palette);
      }
      traces[seed]["x"].push_back(place_of(comparison.columns[i]));
      traces[seed]["y"].push_back(value);
    }
  }
  for (auto& [seed, trace] : traces) data.push_back(std::move(trace));
}

// Sizes on a log axis with their factors below, and a line at the training size.
Json size_axis(const Comparison& comparison, Json& layout) {
  Json sizes = axis("size of evaluation / size of training");
  if (!std::isfinite(comparison.columns.front().factor)) {
    sizes = axis("");
    sizes["type"] = "category";
    return sizes;
  }
  sizes["type"] = "log";
  sizes["tickvals"] = Json::array();
  sizes["ticktext"] = Json::array();
  for (const ComparisonColumn& column : comparison.columns) {
    if (!std::isfinite(column.factor)) continue;
    sizes["tickvals"].push_back(column.factor);
    sizes["ticktext"].push_back(column.heading);
  }
  layout["shapes"] = {{{"type", "line"},
                       {"x0", 1},
                       {"x1", 1},
                       {"y0", 0},
                       {"y1", 1},
                       {"yref", "paper"},
                       {"line", {{"dash", "dot"}, {"width", 1.5}, {"color", "#888"}}}}};
  layout["annotations"] = {{{"x", 0},
                            {"y", 1},
                            {"yref", "paper"},
                            {"yanchor", "bottom"},
                            {"xanchor", "left"},
                            {"showarrow", false},
                            {"text", "trained here"}}};
  return sizes;
}

// The trivial rule, else chance.
void add_guessing(const Comparison& comparison, Json& data) {
  Json trace = {{"type", "scatter"},
                {"mode", "lines"},
                {"name", "guessing"},
                {"line", {{"color", "#8a8a8a"}, {"dash", "dot"}, {"width", 1.5}}},
                {"x", Json::array()},
                {"y", Json::array()},
                {"meta", {{"role", "guessing"}}},
                {"hovertemplate", "%{y:.4g}<extra>guessing, %{x}</extra>"}};
  for (size_t i = 0; i < comparison.columns.size(); ++i) {
    if (!std::isfinite(comparison.guessing[i])) continue;
    trace["x"].push_back(place_of(comparison.columns[i]));
    trace["y"].push_back(comparison.guessing[i]);
  }
  if (!trace["x"].empty()) data.push_back(std::move(trace));
}

}  // namespace

std::vector<Figure> curve_figures(const Comparison& comparison, const Palette& palette) {
  Figure figure{.kind = "curves", .title = comparison.metric + " by size"};
  for (const ComparisonRow& row : comparison.rows) {
    add_band(row, comparison, palette, figure.data);
    add_mean(row, comparison, palette, figure.data);
    add_seeds(row, comparison, palette, figure.data);
  }
  if (figure.data.empty() || comparison.columns.size() < 2) return {};
  add_guessing(comparison, figure.data);
  figure.caption = fmt::format(
      "{}: {} at each size of evaluation, {}mean over seeds with its 95 % interval over seeds and "
      "test samples, with one seed over samples alone; dotted: guessing, and the training size.",
      comparison.title, comparison.metric,
      comparison.better.empty() ? "" : comparison.better + " is better, ");
  figure.layout["xaxis"] = size_axis(comparison, figure.layout);
  figure.layout["yaxis"] = axis(comparison.metric);
  return {figure};
}

}  // namespace relbias::results
