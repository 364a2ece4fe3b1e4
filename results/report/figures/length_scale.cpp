// SPDX-License-Identifier: Apache-2.0
// results/report/figures: plain attention against length_scale = log.
#include <fmt/format.h>

#include <cmath>

#include "results/report/figures/figures.h"

namespace relbias::results {
namespace {

// The label of a row without its length scale, which is what tells a pair apart.
std::string pair_key(const std::string& label, const std::string& setting) {
  const auto found = label.find(setting);
  if (found == std::string::npos) return label;
  std::string rest = label;
  rest.erase(found, setting.size());
  return rest;
}

Json scaled_trace(const ComparisonRow& row, const Comparison& comparison, const Palette& palette) {
  Json trace = line_trace(row, palette);
  trace["hovertemplate"] = "%{y:.4g}<extra>%{fullData.name}, %{x}x</extra>";
  for (size_t i = 0; i < row.cells.size(); ++i) {
    const bool has_value = row.cells[i].state == CellState::value;
    if (!has_value || !std::isfinite(comparison.columns[i].factor)) continue;
    trace["x"].push_back(comparison.columns[i].factor);
    trace["y"].push_back(row.cells[i].summary.mean);
  }
  return trace;
}

}  // namespace

std::vector<Figure> length_scale_figures(const Comparison& comparison, const Palette& palette) {
  static const std::string plain = "model.length_scale=none", log = "model.length_scale=log";
  std::map<std::string, const ComparisonRow*> scaled;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.label.find(log) != std::string::npos) scaled[pair_key(row.label, log)] = &row;
  }
  Figure figure{.kind = "length-scale",
                .title = comparison.metric + ": plain and length_scale = log"};
  for (const ComparisonRow& row : comparison.rows) {
    if (row.label.find(plain) == std::string::npos) continue;
    const auto partner = scaled.find(pair_key(row.label, plain));
    if (partner == scaled.end()) continue;
    figure.data.push_back(scaled_trace(row, comparison, palette));
    figure.data.push_back(scaled_trace(*partner->second, comparison, palette));
  }
  if (figure.data.empty()) return {};
  figure.caption = fmt::format(
      "{}: each encoding with plain attention and with scores scaled by the logarithm of the "
      "number "
      "of keys.",
      comparison.title);
  figure.layout["xaxis"] = axis("size of evaluation / size of training");
  figure.layout["xaxis"]["type"] = "log";
  figure.layout["yaxis"] = axis(comparison.metric);
  return {figure};
}

}  // namespace relbias::results
