// SPDX-License-Identifier: Apache-2.0
// experiments/run: what all optimisers share.
#include "experiments/run/optimiser.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>

namespace relbias::experiments {

using torch::Tensor;

void Optimiser::step(double learning_rate) {
  const at::NoGradGuard no_grad;
  for (size_t g = 0; g < groups_.size(); ++g) {
    std::vector<size_t> moved;
    for (size_t i = 0; i < groups_[g].parameters.size(); ++i) {
      if (groups_[g].parameters[i].grad().defined()) moved.push_back(i);
    }
    if (!moved.empty()) step_group(g, moved, learning_rate * groups_[g].rate);
  }
}

std::unique_ptr<Optimiser> make_optimiser(const TrainConfig& config,
                                          std::vector<ParameterGroup> groups) {
  const auto& entry = find_entry("optimiser", option_name(config.optimiser), optimiser_entries());
  return entry.make(parse_options("optimiser", config.optimiser, entry.options), config,
                    std::move(groups));
}

std::vector<ParameterGroup> parameter_groups(Model& model, double weight_decay) {
  ParameterGroup matrices{.parameters = {}, .weight_decay = weight_decay}, vectors;
  std::map<double, ParameterGroup> positions;  // by rate
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
  std::vector<ParameterGroup> groups{matrices, vectors};
  for (auto& [rate, group] : positions) groups.push_back(std::move(group));
  return groups;
}

}  // namespace relbias::experiments
