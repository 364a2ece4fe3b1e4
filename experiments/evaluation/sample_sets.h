// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: the test samples of one size as a record keeps them.
#pragma once

#include <string>
#include <vector>

#include "experiments/evaluation/scores.h"
#include "results/record.h"

namespace relbias::experiments {

/// A hash over what the samples of an evaluation are: where they are from, their ids and the right
/// answers. Real-valued inputs are left out: their last digits depend on the machine.
class SampleHash {
 public:
  void add(const Batch& batch);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// `picture`, `clip`, ...: what a sample of a modality is called.
std::string sample_name(const std::string& modality, bool has_dataset);

/// The set of all samples that the model answered. `set` has what else is to be known of it.
SampleSet kept_samples(const TaskTraits& traits, const Scores& scores, SampleSet set);

/// Those that have a target in one bin of positions, for the task's first metric.
SampleSet kept_samples(const std::string& metric, const KeptSamples& kept,
                       const std::vector<std::string>& sources, SampleSet set);

}  // namespace relbias::experiments
