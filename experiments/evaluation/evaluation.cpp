// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: evaluation at every size, batch by batch.
#include "experiments/evaluation/evaluation.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "experiments/evaluation/scores.h"
#include "experiments/run/device.h"
#include "experiments/run/trainer.h"

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
      }
      rows.push_back(row);
    }
    for (const auto& bin : scores.by_position()) {
      if (bin.samples.empty()) continue;
      EvaluationRow row = empty_row(traits_.metrics.front(), scores);
      row.samples = static_cast<int64_t>(bin.samples.size());
      set(row, estimate(row.metric, bin.samples));
      row.condition +=
          fmt::format("{}position {}-{}", condition_.empty() ? "" : ", ", bin.first, bin.last);
      rows.push_back(row);
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

  const TaskTraits& traits_;
  EvaluationRequest request_;
  std::string condition_;
  double factor_ = not_given;
};

}  // namespace

std::vector<EvaluationRow> evaluate(const RunConfig& config, const Experiment& experiment,
                                    const std::function<void(int64_t size)>& before_batch) {
  const at::NoGradGuard no_gradients;
  Model& model = *experiment.model;
  model.eval();
  std::vector<EvaluationRow> rows;
  const auto evaluate_task = [&](const Task& task, const std::string& variant) {
    const TaskTraits traits = task.traits();
    for (const auto& request : evaluation_requests(config, task)) {
      Scores scores(traits);
      std::optional<std::string> undefined;
      uint64_t batches = 0;
      const auto use = [&](const Batch& batch) {
        before_batch(request.size);
        scores.add_guesses(batch);
        if (!undefined) undefined = model.undefined_at(batch.largest());
        if (undefined) return;
        // Random positions, like the samples, are the same for every run.
        const Batch placed =
            to_device_of(model, model.drawn(batch, stream(0, "evaluation positions", batches++)));
        scores.add(model.forward(placed), placed);
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
        evaluation.add_undefined(*undefined, scores, rows);
      } else {
        evaluation.add_rows(scores, rows);
      }
    }
  };
  evaluate_task(*experiment.task, "");
  for (const auto& variant : experiment.variants) evaluate_task(*variant.task, variant.options);
  return rows;
}

}  // namespace relbias::experiments
