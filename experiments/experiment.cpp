// SPDX-License-Identifier: Apache-2.0
// experiments: building of experiments and what they will cost.
#include "experiments/experiment.h"

#include <algorithm>

namespace relbias {
namespace {

std::shared_ptr<const Dataset> load_dataset(const std::string& name, DatasetCache& cache) {
  if (name.empty()) return nullptr;
  if (cache.name != name) {
    const auto& entry = find_entry("dataset", option_name(name), dataset_entries());
    cache.dataset = entry.make(parse_options("dataset", name, entry.options));
    cache.name = name;
  }
  return cache.dataset;
}

// The largest training sample, whose range of positions the model is built for.
Structure trained_structure(const RunConfig& config, const Task& task) {
  const auto seed = static_cast<uint64_t>(config.seed);
  return task.training({.size = config.train.size, .batch = 1, .seed = seed, .step = 0})
      .structures.at(0);
}

}  // namespace

Experiment build(const RunConfig& config, DatasetCache& cache) {
  const std::string& task = config.data.task;
  Experiment experiment{.entry = find_entry("task", option_name(task), task_entries()),
                        .dataset = load_dataset(config.data.dataset, cache),
                        .task = nullptr,
                        .traits = {},
                        .model = nullptr};
  const TaskEntry& entry = experiment.entry;
  experiment.task =
      entry.make(parse_options("task", task, entry.options), experiment.dataset.get());
  experiment.task->check(config.train.sizes, evaluation_requests(config));
  experiment.traits = experiment.task->traits();
  experiment.model =
      make_model(config.model, entry, experiment.traits,
                 trained_structure(config, *experiment.task), static_cast<uint64_t>(config.seed));
  return experiment;
}

std::vector<EvaluationRequest> evaluation_requests(const RunConfig& config) {
  std::vector<EvaluationRequest> requests;
  const EvaluateConfig& evaluate = config.evaluate;
  for (const int64_t size : evaluate.sizes) {
    requests.push_back({.size = size,
                        .samples = evaluate.samples,
                        .tokens = evaluate.tokens,
                        .batch = std::max<int64_t>(1, evaluate.batch_tokens / size)});
  }
  return requests;
}

int64_t training_size(const RunConfig& config, int64_t step) {
  const auto& sizes = config.train.sizes;
  const uint64_t draw =
      stream_seed(static_cast<uint64_t>(config.seed), "size", static_cast<uint64_t>(step));
  return sizes[draw % sizes.size()];
}

Cost cost_of(const RunConfig& config, const Experiment& experiment) {
  Cost cost;
  std::tie(cost.parameters, cost.position_parameters) = count_parameters(*experiment.model);
  std::map<int64_t, int64_t> steps;  // by size
  for (int64_t step = 0; step < config.train.steps; ++step) ++steps[training_size(config, step)];
  for (const auto& [size, count] : steps) {
    const double samples = static_cast<double>(count * config.train.batch);
    cost.tokens += samples * static_cast<double>(size);
    cost.flops += 3 * samples * experiment.model->forward_flops(size);
  }
  return cost;
}

std::pair<int64_t, int64_t> count_parameters(Model& model) {
  int64_t total = 0, position = 0;
  for (const auto& parameter : model.parameters()) total += parameter.numel();
  for (const auto& [parameter, rate] : model.position_parameters()) position += parameter.numel();
  return {total, position};
}

}  // namespace relbias
