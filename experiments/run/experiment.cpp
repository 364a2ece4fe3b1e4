// SPDX-License-Identifier: Apache-2.0
// experiments/run: building of experiments and what they will cost.
#include "experiments/run/experiment.h"

#include <algorithm>
#include <set>

#include "encodings/attention/memory.h"
#include "experiments/config/planned_backend.h"
#include "experiments/evaluation/task_metric.h"

namespace relbias::experiments {
namespace {

std::shared_ptr<const Dataset> load_dataset(const Options& options, DatasetCache& cache) {
  if (options.name().empty()) return nullptr;
  if (const std::string name = options.canonical(); cache.name != name) {
    cache.dataset = find_entry("dataset", options.name(), dataset_entries()).make(options);
    cache.name = name;
  }
  return cache.dataset;
}

// One model answers both tasks: what goes in and what comes out must be the same.
void check_variant(const std::string& variant, const TaskTraits& task, const TaskTraits& changed) {
  const auto differ = [&](const char* what, int64_t trained, int64_t found) {
    if (trained == found) return;
    input_error("evaluate.variants: {} has {} {}, the trained task {}", variant, found, what,
                trained);
  };
  differ("input ids", task.vocabulary, changed.vocabulary);
  differ("input features", task.features, changed.features);
  differ("questions", static_cast<int64_t>(task.questions.size()),
         static_cast<int64_t>(changed.questions.size()));
  for (size_t n = 0; n < task.questions.size(); ++n) {
    differ("outputs", task.questions[n].outputs, changed.questions[n].outputs);
    if (task.questions[n].target != changed.questions[n].target) {
      input_error("evaluate.variants: {} asks for {}, the trained task for {}", variant,
                  changed.questions[n].target, task.questions[n].target);
    }
  }
}

// Trials whose first metric is the same are told apart by their loss.
void add_losses(TaskTraits& traits) {
  for (const Question& question : traits.questions) {
    if (question.kind == Question::Kind::number) continue;
    const std::string before = question.name.empty() ? "" : question.name + " ";
    const std::string loss = before + "cross-entropy";
    if (std::ranges::find(traits.metrics, loss) == traits.metrics.end()) {
      traits.metrics.push_back(loss);
    }
  }
}

// Models are built with their weights; one that cannot fit must not get to an allocator that
// overcommits. The blocks' matrices alone, float32: a lower bound.
void check_memory_of(const ModelConfig& model) {
  const auto real = [](int64_t number) { return static_cast<double>(number); };
  const double blocks = real(model.layers) * (4 + 2 * real(model.mlp_ratio));
  const double bytes = 4 * blocks * real(model.width) * real(model.width);
  const auto available = static_cast<double>(main_memory());
  if (bytes <= available) return;
  input_error("model.width {}, {} layers: the weights need {:.3g} GB, this machine has {:.3g} GB",
              model.width, model.layers, bytes / 1e9, available / 1e9);
}

}  // namespace

Experiment build(const RunConfig& config, DatasetCache& cache) {
  check_memory_of(config.model);
  const Options& options = config.data.task;
  Experiment experiment{.entry = find_entry("task", options.name(), task_entries()),
                        .dataset = load_dataset(config.data.dataset, cache),
                        .task = nullptr,
                        .variants = {},
                        .traits = {},
                        .model = nullptr};
  const TaskEntry& entry = experiment.entry;
  experiment.task = entry.make(options, experiment.dataset.get());
  experiment.task->check(config.train.sizes, evaluation_requests(config, *experiment.task));
  experiment.traits = traits_of(config, *experiment.task);
  std::set<std::string> seen = {options.canonical()};
  for (const std::string& text : config.evaluate.variants) {
    const Options changes = parse_task(entry.name + " " + text);
    if (!seen.insert(options.with(changes).canonical()).second) {
      input_error("evaluate.variants: {} is the task itself or a variant listed before", text);
    }
    auto variant = entry.make(options.with(changes), experiment.dataset.get());
    check_variant(text, experiment.traits, traits_of(config, *variant));
    variant->check({}, evaluation_requests(config, *variant));
    experiment.variants.push_back({text, std::move(variant)});
  }
  const auto seed = static_cast<uint64_t>(config.seed);
  ModelConfig model = config.model;
  model.backend = planned_backend(model);
  experiment.model = make_model(model, entry, experiment.traits,
                                experiment.task->trained(config.train.size, seed), seed);
  return experiment;
}

TaskTraits traits_of(const RunConfig& config, const Task& task) {
  TaskTraits traits = task.traits();
  for (const std::string& metric : traits.metrics) task_metric(metric, traits);
  for (const std::string& metric : config.evaluate.metrics) {
    try {
      task_metric(metric, traits);
    } catch (const InputError& error) {
      input_error("evaluate.metrics: {}", error.what());
    }
    if (std::ranges::find(traits.metrics, metric) == traits.metrics.end()) {
      traits.metrics.push_back(metric);
    }
  }
  if (config.evaluate.split == "validation") add_losses(traits);
  return traits;
}

std::vector<EvaluationRequest> evaluation_requests(const RunConfig& config, const Task& task) {
  std::vector<EvaluationRequest> requests;
  const EvaluateConfig& evaluate = config.evaluate;
  int64_t above = 0;
  for (const int64_t size : evaluate.sizes) {
    const int64_t tokens = std::max<int64_t>(1, task.tokens(size));
    requests.push_back({.size = size,
                        .samples = evaluate.samples,
                        .tokens = evaluate.tokens,
                        .batch = std::max<int64_t>(1, evaluate.batch_tokens / tokens),
                        .above = above,
                        .block = *std::ranges::max_element(evaluate.sizes)});
    const bool validates = evaluate.split == "validation";
    requests.back().split = validates ? Split::validation : Split::test;
    above = size;
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
  const bool one = config.train.sizes.size() == 1;
  if (one) steps[config.train.sizes.front()] = config.train.steps;
  for (int64_t step = 0; !one && step < config.train.steps; ++step) {
    ++steps[training_size(config, step)];
  }
  for (const auto& [size, count] : steps) {
    const double samples = static_cast<double>(count) * static_cast<double>(config.train.batch);
    const int64_t tokens = experiment.task->tokens(size);
    cost.tokens += samples * static_cast<double>(tokens);
    cost.flops += 3 * samples * experiment.model->forward_flops(tokens);
  }
  return cost;
}

std::pair<int64_t, int64_t> count_parameters(Model& model) {
  int64_t total = 0, position = 0;
  for (const auto& parameter : model.parameters()) total += parameter.numel();
  for (const auto& [parameter, rate] : model.position_parameters()) position += parameter.numel();
  return {total, position};
}

}  // namespace relbias::experiments
