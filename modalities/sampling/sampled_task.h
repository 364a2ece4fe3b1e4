// SPDX-License-Identifier: Apache-2.0
// modalities/sampling: what all tasks share that draw their own samples.
#pragma once

#include "modalities/modality.h"

namespace relbias::modalities {

/// A task without data: a sample is a function of a random stream. Training draws from the run's
/// stream "data", one draw a step; evaluation draws all samples of a size at once from a stream of
/// seed 0 that the split has to itself, so that neither the run's seed nor the batch size touches
/// them, and what is chosen on validation has not seen what tests.
class SampledTask : public Task {
 public:
  Batch training(const TrainingRequest& request) const final;
  void evaluation(const EvaluationRequest& request,
                  const std::function<void(const Batch&)>& use) const final;
  void check(const std::vector<int64_t>& train_sizes,
             const std::vector<EvaluationRequest>& evaluations) const final;

 protected:
  /// Samples of a size that check_size() let pass.
  virtual Batch draw(int64_t size, int64_t samples, at::Generator generator) const = 0;
  /// Throws InputError unless there are samples of this size.
  virtual void check_size(int64_t size) const = 0;
};

}  // namespace relbias::modalities
