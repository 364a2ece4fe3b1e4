// SPDX-License-Identifier: Apache-2.0
// results/report/figures: loss against step.
#include <fmt/format.h>

#include <cmath>

#include "results/report/figures/figures.h"

namespace relbias::results {
namespace {

constexpr size_t points = 120;  // a line, at most

// Mean loss over the runs at each logged step, of every `stride`-th.
Json mean_trace(const ComparisonRow& row, const Palette& palette) {
  std::map<int64_t, std::vector<double>> losses;
  for (const RunRecord* run : row.repetitions->runs) {
    for (const TrainRow& step : run->train) losses[step.step].push_back(step.loss);
  }
  const size_t stride = losses.size() / points + 1;
  Json trace = line_trace(row, palette);
  trace["mode"] = "lines";
  trace.erase("marker");
  trace["hovertemplate"] = "%{y:.4g} at step %{x}<extra>%{fullData.name}</extra>";
  size_t number = 0;
  for (const auto& [step, values] : losses) {
    if (++number % stride != 0 && number != losses.size()) continue;
    trace["x"].push_back(step);
    trace["y"].push_back(summarise(values).mean);
  }
  return trace;
}

Json run_trace(const ComparisonRow& row, const RunRecord& run, const Palette& palette) {
  Json trace = seed_trace(row, run.seed, palette);
  trace["mode"] = "lines";
  trace.erase("marker");
  const size_t stride = run.train.size() / points + 1;
  for (size_t i = 0; i < run.train.size(); i += stride) {
    trace["x"].push_back(run.train[i].step);
    trace["y"].push_back(run.train[i].loss);
  }
  return trace;
}

}  // namespace

std::vector<Figure> training_figures(const Comparison& comparison, const Palette& palette) {
  Figure figure{.kind = "training", .title = "training loss"};
  for (const ComparisonRow& row : comparison.rows) {
    Json mean = mean_trace(row, palette);
    if (mean["x"].empty()) continue;
    figure.data.push_back(std::move(mean));
    size_t shown = 0;
    for (const RunRecord* run : row.repetitions->runs) {
      if (!run->train.empty() && shown++ < shown_seeds) {
        figure.data.push_back(run_trace(row, *run, palette));
      }
    }
  }
  if (figure.data.empty()) return {};
  figure.caption = fmt::format(
      "{}: loss of the training batches by step, mean over seeds, diverged and unfinished runs "
      "included.",
      comparison.title);
  figure.layout["xaxis"] = axis("step");
  figure.layout["yaxis"] = axis("loss of the batch");
  return {figure};
}

}  // namespace relbias::results
