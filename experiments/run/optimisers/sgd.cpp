// SPDX-License-Identifier: Apache-2.0
// experiments/run/optimisers: stochastic gradient descent with momentum.
#include <ATen/ATen.h>

#include "experiments/run/optimiser.h"

namespace relbias::experiments {
namespace {

using torch::Tensor;

class Sgd : public Optimiser {
 public:
  Sgd(std::vector<ParameterGroup> all, double momentum)
      : Optimiser(std::move(all)), momentum_(momentum) {
    for (const ParameterGroup& group : groups()) {
      std::vector<Tensor>& buffers = buffers_.emplace_back();
      for (const Tensor& parameter : group.parameters) buffers.push_back(at::zeros_like(parameter));
    }
  }

  std::vector<std::pair<std::string, Tensor>> state() const override {
    std::vector<std::pair<std::string, Tensor>> tensors;
    for (size_t g = 0; g < buffers_.size(); ++g) {
      for (size_t i = 0; i < buffers_[g].size(); ++i) {
        tensors.emplace_back("sgd." + std::to_string(g) + "." + std::to_string(i), buffers_[g][i]);
      }
    }
    return tensors;
  }

 protected:
  void step_group(size_t g, const std::vector<size_t>& moved, double learning_rate) override {
    const ParameterGroup& group = groups()[g];
    for (const size_t i : moved) {
      Tensor weight = group.parameters[i];
      weight.mul_(1 - learning_rate * group.weight_decay);
      buffers_[g][i].mul_(momentum_).add_(weight.grad());
      weight.sub_(buffers_[g][i], learning_rate);
    }
  }

 private:
  std::vector<std::vector<Tensor>> buffers_;  // one a group and parameter
  double momentum_;
};

}  // namespace

OptimiserEntry optimiser_sgd() {
  return {
      .summary =
          "w -= r decay w; b = momentum b + g; w -= r b, r = rate * learning rate "
          "(decoupled weight decay)",
      .options = {{"momentum", 0.9, "share of the last update that goes on", {}, 0, 0.999999}},
      .make = [](const Options& options, const TrainConfig&, std::vector<ParameterGroup> groups) {
        return std::make_unique<Sgd>(std::move(groups), options.real("momentum"));
      }};
}

}  // namespace relbias::experiments
