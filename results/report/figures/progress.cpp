// SPDX-License-Identifier: Apache-2.0
// results/report/figures: the metric against the step of training at which it was evaluated.
#include <fmt/format.h>

#include "results/report/figures/figures.h"

namespace relbias::results {
namespace {

// The row's values in a column by step, of the finished runs.
std::map<int64_t, std::vector<double>> values_by_step(const ComparisonRow& row,
                                                      const ComparisonColumn& column,
                                                      const std::string& metric) {
  std::map<int64_t, std::vector<double>> values;
  for (const RunRecord* run : row.repetitions->runs) {
    if (run->status != RunStatus::done) continue;
    for (const EvaluationRow& place : run->evaluation) {
      if (place.metric != metric || !place.defined || column_key(place) != column_key(column))
        continue;
      values[place.step].push_back(place.value);
    }
  }
  return values;
}

}  // namespace

std::vector<Figure> progress_figures(const Comparison& comparison, const Palette& palette) {
  const ComparisonColumn& column = comparison.columns.front();
  Figure figure{.kind = "progress",
                .title = fmt::format("{} at {} by step", comparison.metric, column.heading)};
  for (const ComparisonRow& row : comparison.rows) {
    const auto values = values_by_step(row, column, comparison.metric);
    if (values.size() < 2) continue;  // its end is in the table
    Json trace = line_trace(row, palette);
    trace["hovertemplate"] = "%{y:.4g} at step %{x}<extra>%{fullData.name}</extra>";
    for (const auto& [step, at_step] : values) {
      trace["x"].push_back(step);
      trace["y"].push_back(summarise(at_step).mean);
    }
    figure.data.push_back(std::move(trace));
  }
  if (figure.data.empty()) return {};
  figure.caption = fmt::format(
      "{}: {} at {} when it was evaluated within the training (evaluate.at), mean over seeds: "
      "speed of learning and end result apart.",
      comparison.title, comparison.metric, column.heading);
  figure.layout["xaxis"] = axis("step");
  figure.layout["yaxis"] = axis(comparison.metric);
  return {figure};
}

}  // namespace relbias::results
