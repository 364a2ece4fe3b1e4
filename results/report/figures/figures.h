// SPDX-License-Identifier: Apache-2.0
// results/report/figures: every kind of figure, one function and one file a kind. A kind that the
// runs have nothing for gives none.
#pragma once

#include "results/analysis/across/standings.h"
#include "results/analysis/planning/trials.h"
#include "results/report/figures/figure.h"

namespace relbias::results {

/// Metric against size: mean, 95 % band, a line at the training size.
std::vector<Figure> curve_figures(const Comparison& comparison, const Palette& palette);

/// Plain and `length_scale = log` of the same settings, side by side.
std::vector<Figure> length_scale_figures(const Comparison& comparison, const Palette& palette);

/// What every row differs by from the first, `none` where there is one, with its 95 % interval: at
/// the training size and at the largest.
std::vector<Figure> forest_figures(const Comparison& comparison, const Palette& palette);

/// The metric at the training size and at the largest size against training speed.
std::vector<Figure> cost_figures(const Comparison& comparison, const Palette& palette);

/// Loss against step.
std::vector<Figure> training_figures(const Comparison& comparison, const Palette& palette);

/// The metric at the smallest size against step, where runs were evaluated within their training.
std::vector<Figure> progress_figures(const Comparison& comparison, const Palette& palette);

/// Every setting that was tried, and which was chosen.
std::vector<Figure> tuning_figures(const TaskTrials& trials, const Palette& palette);

/// A run that was read whole, of each row one.
using WholeRuns = std::map<const Repetitions*, RunRecord>;

/// Learned tables per head: a curve over offsets, a map over (dy, dx), bars over hops, a matrix
/// over (up, down).
std::vector<Figure> bias_figures(const Comparison& comparison, const WholeRuns& whole);

/// How much attention falls on each distance, at the smallest and at the largest evaluated size.
std::vector<Figure> attention_figures(const Comparison& comparison, const Palette& palette,
                                      const WholeRuns& whole);

/// Encodings against modalities.
std::vector<Figure> rank_figures(const Standings& standings);

}  // namespace relbias::results
