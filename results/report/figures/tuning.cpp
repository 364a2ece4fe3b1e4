// SPDX-License-Identifier: Apache-2.0
// results/report/figures: the trials by which settings were chosen.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "results/report/figures/figures.h"

namespace relbias::results {
namespace {

// The trials of one encoding; what was chosen is larger.
Json trace_of(const std::string& cell, const TaskTrials& trials, const Palette& palette) {
  const auto first = std::ranges::find(trials.rows, cell, &TrialRow::cell);
  const std::string name = encoding_name(*first->runs.front());
  const Style style = palette.style_of(cell, name);
  Json trace = {{"type", "scatter"},
                {"mode", "lines+markers"},
                {"name", cell},
                {"line", {{"color", style.colour}, {"dash", style.dash}, {"width", 1}}},
                {"marker", {{"color", style.colour}, {"symbol", style.symbol}}},
                {"x", Json::array()},
                {"y", Json::array()},
                {"meta", {{"encoding", name}, {"seed", nullptr}, {"role", "mean"}}},
                {"hovertemplate", "%{y:.4g} with %{x}<extra>%{fullData.name}</extra>"}};
  Json sizes = Json::array();
  for (const TrialRow& row : trials.rows) {
    const double value = validated(row);
    if (row.cell != cell || std::isnan(value)) continue;
    trace["x"].push_back(setting_text(row.setting));
    trace["y"].push_back(value);
    sizes.push_back(trials.is_chosen(row) ? 15 : 7);
  }
  trace["marker"]["size"] = std::move(sizes);
  return trace;
}

}  // namespace

std::vector<Figure> tuning_figures(const TaskTrials& trials, const Palette& palette) {
  std::set<std::string> cells, settings;
  for (const TrialRow& row : trials.rows) {
    cells.insert(row.cell);
    settings.insert(setting_text(row.setting));
  }
  Figure figure{.kind = "tuning", .title = "validation " + trials.metric + " by trial"};
  for (const std::string& cell : cells) {
    Json trace = trace_of(cell, trials, palette);
    if (!trace["x"].empty()) figure.data.push_back(std::move(trace));
  }
  if (figure.data.empty()) return {};
  figure.caption = fmt::format(
      "{}: {} on the validation split at the training size, of every setting that was tried; the "
      "large marker is what was chosen.",
      trials.title(), trials.metric);
  figure.layout["xaxis"] = axis("");
  figure.layout["xaxis"]["type"] = "category";
  figure.layout["xaxis"]["categoryorder"] = "array";
  figure.layout["xaxis"]["categoryarray"] = settings;
  figure.layout["yaxis"] = axis("validation " + trials.metric);
  return {figure};
}

}  // namespace relbias::results
