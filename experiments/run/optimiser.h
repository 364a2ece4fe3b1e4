// SPDX-License-Identifier: Apache-2.0
// experiments/run: AdamW and the course of its learning rate.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/config.h"

namespace relbias::experiments {

/// The learning rate of step `step` = 0, 1, ... of `steps`:
///     peak * (step + 1) / warmup                                               while step < warmup
///     peak * (1 + cos(pi * (step - warmup) / (steps - warmup))) / 2            then
/// A function of the configuration alone: no learning rate is ever saved, so none can be restored
/// that differs from what the configuration says.
double learning_rate(const TrainConfig& config, int64_t step);

/// AdamW (Loshchilov and Hutter 2019, algorithm 2; decoupled weight decay, epsilon 1e-8):
///     w <- w - r * decay * w
///     m <- b1 m + (1 - b1) g,  v <- b2 v + (1 - b2) g^2
///     w <- w - r * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + 1e-8),   r = rate * learning rate
/// one fused kernel a group.
class AdamW {
 public:
  /// Parameters that are treated alike.
  struct Group {
    std::vector<torch::Tensor> parameters;
    double rate = 1.0;  // factor on the learning rate
    double weight_decay = 0.0;
  };

  AdamW(std::vector<Group> groups, const std::vector<double>& betas);

  /// One update. Parameters without a gradient stay as they are.
  void step(double learning_rate);

  /// Every tensor that it remembers from step to step, by name. Writing to them changes its state.
  std::vector<std::pair<std::string, torch::Tensor>> state() const;

 private:
  struct Moments {
    std::vector<torch::Tensor> first, second, steps;  // one a parameter; steps are scalars
  };

  std::vector<Group> groups_;
  std::vector<Moments> moments_;  // one a group
  double beta1_, beta2_;
};

/// Matrices decay, vectors (gains of norms) and position parameters do not; position parameters
/// have the learning-rate factors that the model gives them.
std::vector<AdamW::Group> parameter_groups(Model& model, double weight_decay);

}  // namespace relbias::experiments
