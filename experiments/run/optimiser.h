// SPDX-License-Identifier: Apache-2.0
// experiments/run: what an optimiser is, and which parameters it treats alike.
#pragma once

#include <torch/types.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/config.h"
#include "modalities/plain/options.h"

namespace relbias::experiments {

/// Parameters that are treated alike.
struct ParameterGroup {
  std::vector<torch::Tensor> parameters;
  double rate = 1.0;  // factor on the learning rate
  double weight_decay = 0.0;
};

class Optimiser {
 public:
  explicit Optimiser(std::vector<ParameterGroup> groups) : groups_(std::move(groups)) {}
  virtual ~Optimiser() = default;

  /// One update. Parameters without a gradient stay as they are.
  void step(double learning_rate);

  /// Every tensor that it remembers from step to step, by name. Writing to them changes its state.
  virtual std::vector<std::pair<std::string, torch::Tensor>> state() const = 0;

 protected:
  const std::vector<ParameterGroup>& groups() const { return groups_; }
  /// Of group `g` the parameters at `moved`, which have a gradient each; no gradients are recorded.
  virtual void step_group(size_t g, const std::vector<size_t>& moved, double learning_rate) = 0;

 private:
  std::vector<ParameterGroup> groups_;
};

/// An optimiser is one file in experiments/run/optimisers/: its factory returns this.
struct OptimiserEntry {
  std::string name{};   // from the file name, set by the catalogue
  std::string summary;  // the formula and its source
  std::vector<OptionSpec> options{};
  std::function<std::unique_ptr<Optimiser>(const Options&, const TrainConfig&,
                                           std::vector<ParameterGroup>)>
      make;
};

/// Generated from the files in experiments/run/optimisers/.
const std::vector<OptimiserEntry>& optimiser_entries();

/// The one that `train.optimiser` names.
std::unique_ptr<Optimiser> make_optimiser(const TrainConfig& config,
                                          std::vector<ParameterGroup> groups);

/// Matrices decay, vectors (gains of norms) and position parameters do not; position parameters
/// have the learning-rate factors that the model gives them.
std::vector<ParameterGroup> parameter_groups(Model& model, double weight_decay);

}  // namespace relbias::experiments
