// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: evaluation at every size, batch by batch.
#include "experiments/evaluation/evaluation.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/evaluation/sample_sets.h"
#include "experiments/run/device.h"
#include "experiments/run/trainer.h"
#include "modalities/plain/files.h"

namespace relbias::experiments {
namespace {

// One size of one task, with the rows that it gives.
class SizeEvaluation {
 public:
  SizeEvaluation(const RunConfig& config, const TaskTraits& traits,
                 const EvaluationRequest& request, const std::string& variant)
      : traits_(traits), request_(request), condition_(variant) {
    if (traits.binned) {
      const std::string bin = request.above == 0
                                  ? fmt::format("<={}", request.size)
                                  : fmt::format("{}-{}", request.above + 1, request.size);
      condition_ += (condition_.empty() ? "" : ", ") + bin;
    } else {
      factor_ = static_cast<double>(request.size) / static_cast<double>(config.train.size);
    }
  }

  void add_rows(const Scores& scores, std::vector<EvaluationRow>& rows) const {
    for (const auto& metric : traits_.metrics) {
      EvaluationRow row = empty_row(metric, scores);
      row.samples = scores.samples(metric);
      if (row.samples == 0) {
        row.defined = false;
        row.reason = "no sample of this size has a scored answer";
      } else {
        set(row, scores.metric(metric));
        mark_undetermined(row, scores.columns(metric));
      }
      rows.push_back(row);
    }
    for (const auto& bin : scores.by_position()) {
      if (bin.samples.count() == 0) continue;
      EvaluationRow row = empty_row(traits_.metrics.front(), scores);
      row.samples = bin.samples.count();
      set(row, bin.samples.estimate());
      row.condition = condition_of(bin);
      rows.push_back(row);
    }
  }

  void add_samples(const Scores& scores, const std::string& hash, const std::string& unit,
                   std::vector<SampleSet>& sets) const {
    const SampleSet whole{
        .size = request_.size, .condition = condition_, .step = 0, .hash = hash, .unit = unit};
    if (scores.sources().empty()) return;
    sets.push_back(kept_samples(traits_, scores, whole));
    for (const auto& bin : scores.by_position()) {
      if (bin.samples.count() == 0) continue;
      SampleSet set = whole;
      set.condition = condition_of(bin);
      set.hash = sha1(hash + set.condition);
      sets.push_back(
          kept_samples(traits_.metrics.front(), bin.samples, scores.sources(), std::move(set)));
    }
  }

  void add_undefined(const std::string& reason, const Scores& scores,
                     std::vector<EvaluationRow>& rows) const {
    for (const auto& metric : traits_.metrics) {
      EvaluationRow row = empty_row(metric, scores);
      row.defined = false;
      row.reason = reason;
      rows.push_back(row);
    }
  }

 private:
  std::string condition_of(const Scores::PositionBin& bin) const {
    return fmt::format("{}{}position {}-{}", condition_, condition_.empty() ? "" : ", ", bin.first,
                       bin.last);
  }

  EvaluationRow empty_row(const std::string& metric, const Scores& scores) const {
    EvaluationRow row;
    row.size = request_.size;
    row.factor = factor_;
    row.condition = condition_;
    row.metric = metric;
    row.chance = scores.guessing(metric);
    if (std::isnan(row.chance) && metric == traits_.metrics.front()) row.chance = traits_.chance;
    return row;
  }

  static void set(EvaluationRow& row, const Estimate& estimate) {
    row.value = estimate.value;
    row.standard_error = estimate.standard_error;
  }

  // A balance of nothing, say. Where a model's outputs are no numbers, that is what is to be seen.
  static void mark_undetermined(EvaluationRow& row, const Columns& kept) {
    if (!std::isnan(row.value)) return;
    for (const std::vector<double>& column : kept) {
      if (!std::ranges::all_of(column, [](double one) { return std::isfinite(one); })) return;
    }
    row.defined = false;
    row.reason = fmt::format("these {} samples do not determine {}", row.samples, row.metric);
  }

  const TaskTraits& traits_;
  EvaluationRequest request_;
  std::string condition_;
  double factor_ = not_given;
};

// Of outputs that are no numbers an argmax would still make an accuracy.
std::optional<std::string> not_finite(const std::vector<Tensor>& outputs, Model& model,
                                      const Batch& batch) {
  for (const Tensor& output : outputs) {
    if (at::isfinite(output).all().item<bool>()) continue;
    return fmt::format("outputs are not finite; the first that is not: {}",
                       model.first_non_finite(batch));
  }
  return std::nullopt;
}

}  // namespace

Evaluation evaluate(const RunConfig& config, const Experiment& experiment,
                    const std::function<void(int64_t size)>& before_batch) {
  const at::NoGradGuard no_gradients;
  Model& model = *experiment.model;
  model.eval();
  Evaluation found;
  const auto evaluate_task = [&](const Task& task, const std::string& variant) {
    const TaskTraits traits = traits_of(config, task);
    for (const auto& request : evaluation_requests(config, task)) {
      Scores scores(traits);
      SampleHash hash;
      std::optional<std::string> undefined;
      uint64_t batches = 0;
      const auto use = [&](const Batch& batch) {
        before_batch(request.size);
        scores.add_guesses(batch);
        hash.add(batch);
        if (!undefined) undefined = model.undefined_at(batch.largest());
        if (undefined) return;
        // Random positions, like the samples, are the same for every run.
        const Batch placed = to_device_of(
            model,
            model.with_random_positions(batch, stream(0, "evaluation positions", batches++)));
        const std::vector<Tensor> outputs = model.forward(placed);
        undefined = not_finite(outputs, model, placed);
        if (!undefined) scores.add(outputs, placed);
      };
      // What this machine cannot hold costs this size, and no other.
      try {
        task.evaluation(request, use);
      } catch (const std::exception& error) {
        if (!is_out_of_memory(error)) throw;
        undefined = "out of memory at this size";
      }
      const SizeEvaluation evaluation(config, traits, request, variant);
      if (undefined) {
        evaluation.add_undefined(*undefined, scores, found.rows);
        continue;
      }
      evaluation.add_rows(scores, found.rows);
      const std::string unit = task.sample_unit(request);
      evaluation.add_samples(
          scores, hash.text(),
          unit.empty() ? sample_name(experiment.entry.modality, experiment.dataset != nullptr)
                       : unit,
          found.samples);
    }
  };
  evaluate_task(*experiment.task, "");
  for (const auto& variant : experiment.variants) evaluate_task(*variant.task, variant.options);
  return found;
}

}  // namespace relbias::experiments
