// SPDX-License-Identifier: Apache-2.0
// experiments/run: training of one model, step by step, resumable at any step.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/run/experiment.h"
#include "experiments/run/optimiser.h"
#include "experiments/run/record/snapshot.h"

namespace relbias::experiments {

/// Raised where a default of [train] changes, or what a training of some settings computes.
inline constexpr int64_t training_version = 1;

/// Training cannot go on: the loss or a gradient is no longer finite. Names the step and the place.
struct Diverged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What one step did.
struct StepReport {
  double loss = 0;  // mean over the scored targets, summed over the questions of the task
  double learning_rate = 0;
  double gradient_norm = 0;  // before clipping
  int64_t tokens = 0;
};

/// Everything random in a step (sizes, samples, dropout) is a function of the run's seed and the
/// step's number, so the weights and the optimiser's state are all that a run needs to continue:
/// two calls of `advance` with or without a snapshot between them give the same weights,
/// bit by bit.
class Trainer {
 public:
  /// Trains on the device that the model is on. Both must outlive the trainer.
  Trainer(const RunConfig& config, Experiment& experiment);

  /// Steps done.
  int64_t step() const { return step_; }
  bool finished() const { return step_ >= config_.train.steps; }
  /// Does one step. Throws Diverged, which leaves the weights as they were before it.
  StepReport advance();

  /// Weights and moments by their names: all that a step changes, and no copies.
  NamedTensors state() const;
  /// Goes on behind that step, whose state has been read.
  void continue_behind(int64_t step) { step_ = step; }

 private:
  torch::Tensor loss(const Batch& batch);
  std::string first_gradient(const Batch& batch);
  std::string source_of_divergence(const Batch& batch, const torch::Tensor& loss);

  const RunConfig& config_;
  Experiment& experiment_;
  std::unique_ptr<Optimiser> optimiser_;
  int64_t step_ = 0;
};

/// A batch with its tensors on the device of the model.
Batch to_device_of(Model& model, const Batch& batch);

}  // namespace relbias::experiments
