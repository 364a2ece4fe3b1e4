// SPDX-License-Identifier: Apache-2.0
// experiments/run/optimisers: the fused AdamW of LibTorch, with its state in our hands.
#include <ATen/ATen.h>

#include "experiments/run/optimiser.h"

namespace relbias::experiments {
namespace {

using torch::Tensor;

class AdamW : public Optimiser {
 public:
  AdamW(std::vector<ParameterGroup> all, const std::vector<double>& betas)
      : Optimiser(std::move(all)), beta1_(betas.at(0)), beta2_(betas.at(1)) {
    for (const ParameterGroup& group : groups()) {
      Moments& moments = moments_.emplace_back();
      for (const Tensor& parameter : group.parameters) {
        moments.first.push_back(at::zeros_like(parameter));
        moments.second.push_back(at::zeros_like(parameter));
        moments.steps.push_back(at::zeros({}, parameter.options().dtype(at::kFloat)));
      }
    }
  }

  std::vector<std::pair<std::string, Tensor>> state() const override {
    std::vector<std::pair<std::string, Tensor>> tensors;
    for (size_t g = 0; g < moments_.size(); ++g) {
      for (size_t i = 0; i < moments_[g].first.size(); ++i) {
        const std::string name = "adamw." + std::to_string(g) + "." + std::to_string(i);
        tensors.emplace_back(name + ".first", moments_[g].first[i]);
        tensors.emplace_back(name + ".second", moments_[g].second[i]);
        tensors.emplace_back(name + ".steps", moments_[g].steps[i]);
      }
    }
    return tensors;
  }

 protected:
  // One fused kernel.
  void step_group(size_t g, const std::vector<size_t>& moved, double learning_rate) override {
    const ParameterGroup& group = groups()[g];
    Moments moments;
    std::vector<Tensor> parameters, gradients;
    for (const size_t i : moved) {
      parameters.push_back(group.parameters[i]);
      gradients.push_back(group.parameters[i].grad());
      moments.first.push_back(moments_[g].first[i]);
      moments.second.push_back(moments_[g].second[i]);
      moments.steps.push_back(moments_[g].steps[i].add_(1));
    }
    at::_fused_adamw_(parameters, gradients, moments.first, moments.second,
                      /*max_exp_avg_sqs=*/{}, moments.steps, learning_rate, beta1_, beta2_,
                      group.weight_decay, /*eps=*/1e-8, /*amsgrad=*/false, /*maximize=*/false);
  }

 private:
  struct Moments {
    std::vector<Tensor> first, second, steps;  // one a parameter; steps are scalars
  };

  std::vector<Moments> moments_;  // one a group
  double beta1_, beta2_;
};

}  // namespace

OptimiserEntry optimiser_adamw() {
  return {
      .summary =
          "AdamW (Loshchilov and Hutter 2019, algorithm 2; decoupled weight decay), r = rate * "
          "learning rate, b1 b2 = train.betas: w -= r decay w; m = b1 m + (1 - b1) g; v = b2 v "
          "+ (1 - b2) g^2; w -= r (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + 1e-8)",
      .make = [](const Options&, const TrainConfig& config, std::vector<ParameterGroup> groups) {
        return std::make_unique<AdamW>(std::move(groups), config.betas);
      }};
}

}  // namespace relbias::experiments
