// SPDX-License-Identifier: Apache-2.0
// experiments/run: further evaluations of a finished run, from the weights that it kept.
#include "experiments/run/evaluate_again.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "experiments/evaluation/evaluation.h"
#include "experiments/run/device.h"
#include "experiments/run/record/weights.h"
#include "experiments/version.h"
#include "results/schema.h"
#include "results/store/store.h"

namespace relbias::experiments {
namespace {

void check_record(const RunRecord& run) {
  if (run.schema_version != current_schema) {
    input_error("a run of schema {}, written by an earlier program: run it again",
                run.schema_version);
  }
  if (run.status != RunStatus::done) {
    input_error("the run is {}, a run that is done expected", to_string(run.status));
  }
  if (run.weights.empty()) {
    input_error("run {} kept no weights: run it with --set keep.weights=true", run.run_id);
  }
}

// Whatever the settings of the run say about them is replaced.
RunConfig config_of(const RunRecord& run, const EvaluationOrder& order) {
  RunConfig config = read_config_text(run.config, "config of run " + run.run_id);
  if (!order.sizes.empty()) {
    config.evaluate.sizes = order.sizes;
    std::ranges::sort(config.evaluate.sizes);
    const auto repeated = std::ranges::unique(config.evaluate.sizes);
    config.evaluate.sizes.erase(repeated.begin(), repeated.end());
  }
  if (!order.variants.empty()) config.evaluate.variants = order.variants;
  for (std::string& variant : config.evaluate.variants) {
    variant = parse_task(config.data.task.name() + " " + variant).written();
  }
  return config;
}

int64_t add(Evaluation&& found, RunRecord& run) {
  int64_t added = 0;
  for (EvaluationRow& row : found.rows) {
    row.step = run.train.empty() ? 0 : run.train.back().step;
    row.commit = git_commit();
    const bool is_there = std::ranges::any_of(run.evaluation, [&](const EvaluationRow& other) {
      return other.size == row.size && other.condition == row.condition &&
             other.metric == row.metric && other.step == row.step;
    });
    if (is_there) continue;
    run.evaluation.push_back(std::move(row));
    ++added;
  }
  for (SampleSet& set : found.samples) {
    set.step = run.train.empty() ? 0 : run.train.back().step;
    const bool is_there = std::ranges::any_of(run.samples, [&](const SampleSet& other) {
      return other.size == set.size && other.condition == set.condition && other.step == set.step;
    });
    if (!is_there) run.samples.push_back(std::move(set));
  }
  return added;
}

int64_t evaluate_record(RunRecord& run, const EvaluationOrder& order) {
  check_record(run);
  const RunConfig config = config_of(run, order);
  at::set_num_threads(static_cast<int>(order.threads));
  DatasetCache cache;
  const Experiment experiment = build(config, cache);
  if (experiment.dataset && experiment.dataset->content_hash() != run.dataset_hash) {
    input_error("the data is not what the run was made from: hash {} found, {} expected",
                experiment.dataset->content_hash(), run.dataset_hash);
  }
  load_weights(run.weights, *experiment.model);
  experiment.model->to(choose_device(order.device));
  return add(evaluate(config, experiment, [](int64_t) {}), run);
}

}  // namespace

int64_t evaluate_again(const std::filesystem::path& file, const EvaluationOrder& order) {
  const RunLock lock(file);
  RunRecord run = read_run(file);
  try {
    const int64_t added = evaluate_record(run, order);
    if (added > 0) write_run(file, run);
    return added;
  } catch (const InputError& error) {
    input_error("{}: {}", file.string(), error.what());
  }
}

}  // namespace relbias::experiments
