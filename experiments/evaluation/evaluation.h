// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: how well a model does at each size.
#pragma once

#include <functional>
#include <vector>

#include "experiments/run/experiment.h"
#include "results/record.h"

namespace relbias::experiments {

/// Raised where a default of [evaluate] changes, or what an evaluation of some settings computes.
inline constexpr int64_t evaluation_version = 1;

/// What was measured, and what it is made of: a set of samples for every size and condition at
/// which the model has an answer, from which each row can be computed again.
struct Evaluation {
  std::vector<EvaluationRow> rows;
  std::vector<SampleSet> samples;
};

/// Evaluates the experiment's model at every size of the configuration, on its task and on every
/// variant of it: one row a metric, of a variant or a bin with its condition (`segments=4`,
/// `16-25`); where the task asks for it, its first metric also by position in the sequence
/// (`position 17-32`). Sizes at which the model has no meaning give rows without a value that say
/// why.
///
/// Samples depend on the task alone, so every run of a study meets the same ones. Neither dropout
/// nor gradients nor any random state is touched. `before_batch` is called before each batch with
/// its size, and may throw to stop.
Evaluation evaluate(const RunConfig& config, const Experiment& experiment,
                    const std::function<void(int64_t size)>& before_batch);

}  // namespace relbias::experiments
