// SPDX-License-Identifier: Apache-2.0
// experiments/run: the fused AdamW of LibTorch, with its state in our hands.
#include "experiments/run/optimiser.h"

#include <ATen/ATen.h>

#include <cmath>
#include <numbers>

namespace relbias::experiments {

using torch::Tensor;

double learning_rate(const TrainConfig& config, int64_t step) {
  const double peak = config.learning_rate;
  if (step < config.warmup) {
    return peak * static_cast<double>(step + 1) / static_cast<double>(config.warmup);
  }
  const double progress =
      static_cast<double>(step - config.warmup) / static_cast<double>(config.steps - config.warmup);
  return peak * (1 + std::cos(std::numbers::pi * progress)) / 2;
}

AdamW::AdamW(std::vector<Group> groups, const std::vector<double>& betas)
    : groups_(std::move(groups)), beta1_(betas.at(0)), beta2_(betas.at(1)) {
  for (const Group& group : groups_) {
    Moments& moments = moments_.emplace_back();
    for (const Tensor& parameter : group.parameters) {
      moments.first.push_back(at::zeros_like(parameter));
      moments.second.push_back(at::zeros_like(parameter));
      moments.steps.push_back(at::zeros({}, parameter.options().dtype(at::kFloat)));
    }
  }
}

void AdamW::step(double learning_rate) {
  const at::NoGradGuard no_grad;
  for (size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    Moments moved;  // of the parameters that have a gradient
    std::vector<Tensor> parameters, gradients;
    for (size_t i = 0; i < group.parameters.size(); ++i) {
      const Tensor& gradient = group.parameters[i].grad();
      if (!gradient.defined()) continue;
      parameters.push_back(group.parameters[i]);
      gradients.push_back(gradient);
      moved.first.push_back(moments_[g].first[i]);
      moved.second.push_back(moments_[g].second[i]);
      moved.steps.push_back(moments_[g].steps[i].add_(1));
    }
    if (parameters.empty()) continue;
    at::_fused_adamw_(parameters, gradients, moved.first, moved.second, /*max_exp_avg_sqs=*/{},
                      moved.steps, learning_rate * group.rate, beta1_, beta2_, group.weight_decay,
                      /*eps=*/1e-8, /*amsgrad=*/false, /*maximize=*/false);
  }
}

std::vector<std::pair<std::string, Tensor>> AdamW::state() const {
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (size_t g = 0; g < groups_.size(); ++g) {
    for (size_t i = 0; i < groups_[g].parameters.size(); ++i) {
      const std::string name = "adamw." + std::to_string(g) + "." + std::to_string(i);
      tensors.emplace_back(name + ".first", moments_[g].first[i]);
      tensors.emplace_back(name + ".second", moments_[g].second[i]);
      tensors.emplace_back(name + ".steps", moments_[g].steps[i]);
    }
  }
  return tensors;
}

std::vector<AdamW::Group> parameter_groups(Model& model, double weight_decay) {
  AdamW::Group matrices{.parameters = {}, .weight_decay = weight_decay}, vectors;
  std::map<double, AdamW::Group> positions;  // by rate
  std::vector<const void*> seen;
  for (const auto& [parameter, rate] : model.position_parameters()) {
    positions[rate].rate = rate;
    positions[rate].parameters.push_back(parameter);
    seen.push_back(parameter.unsafeGetTensorImpl());
  }
  for (const Tensor& parameter : model.parameters()) {
    const void* identity = parameter.unsafeGetTensorImpl();
    if (std::find(seen.begin(), seen.end(), identity) != seen.end()) continue;
    (parameter.dim() >= 2 ? matrices : vectors).parameters.push_back(parameter);
  }
  std::vector<AdamW::Group> groups{matrices, vectors};
  for (auto& [rate, group] : positions) groups.push_back(std::move(group));
  return groups;
}

}  // namespace relbias::experiments
