// SPDX-License-Identifier: Apache-2.0
// experiments/run: what a configuration names, built: dataset, task and model.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/config.h"
#include "modalities/modality.h"

namespace relbias::experiments {

/// The dataset of the last experiment, kept so that runs of one process read it once.
struct DatasetCache {
  std::string name;
  std::shared_ptr<const Dataset> dataset;
};

/// The task with some options changed, for a further evaluation of the same model.
struct TaskVariant {
  std::string options;  // `segments=4`
  std::unique_ptr<Task> task;
};

struct Experiment {
  TaskEntry entry;
  std::shared_ptr<const Dataset> dataset;  // null: the task makes its own samples
  std::unique_ptr<Task> task;
  std::vector<TaskVariant> variants;
  TaskTraits traits;
  std::shared_ptr<Model> model;  // on the CPU, with its initial weights
};

/// Throws InputError where data cannot be read, is too short for the sizes asked for, or the model
/// has no meaning.
Experiment build(const RunConfig& config, DatasetCache& cache);

/// What a task asks, judged by its own metrics and then by those that the configuration adds.
/// Throws InputError where a metric is unknown or cannot judge the answers.
TaskTraits traits_of(const RunConfig& config, const Task& task);

/// The evaluations of a run on a task, one a size.
std::vector<EvaluationRequest> evaluation_requests(const RunConfig& config, const Task& task);

/// The size a sample has in a training step. A function of seed and step alone, so that every
/// encoding sees the same sizes in the same order.
int64_t training_size(const RunConfig& config, int64_t step);

/// What a run costs, known before it starts.
struct Cost {
  int64_t parameters = 0;
  int64_t position_parameters = 0;
  double tokens = 0;  // seen in training
  double flops = 0;   // of training: a backward pass counts two forward passes
};
Cost cost_of(const RunConfig& config, const Experiment& experiment);

/// Parameters in all, and those that belong to encodings.
std::pair<int64_t, int64_t> count_parameters(Model& model);

}  // namespace relbias::experiments
