// SPDX-License-Identifier: Apache-2.0
// results/inference: what runs keep of their test samples, as parts of a metric.
#pragma once

#include <vector>

#include "results/inference/inference.h"
#include "results/record.h"

namespace relbias::results {

/// One evaluation row and the run that it is of.
struct Measurement {
  const RunRecord* run = nullptr;
  const EvaluationRow* row = nullptr;
};

/// The samples of which a row's value was made; null where the run kept none.
const SampleSet* samples_of(const Measurement& found);

/// What each sample gives to the metric, over the seeds of these measurements: one row of a table
/// in one of its columns. Samples of one source count as one. Empty where a run kept no samples of
/// it, or others than the first.
SampleValues sample_values(const std::vector<Measurement>& found);

/// Likewise of the task's trivial rule on the same samples: `row` is what sample_values gave. Where
/// the runs keep no such rule, the chance level of the row; empty without either.
SampleValues guessed_values(const std::vector<Measurement>& found, const SampleValues& row);

}  // namespace relbias::results
