// SPDX-License-Identifier: Apache-2.0
// experiments: evaluation at every size, batch by batch.
#include "experiments/evaluation.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>

#include "experiments/metrics.h"
#include "experiments/trainer.h"

namespace relbias {
namespace {

using torch::Tensor;

constexpr int64_t first_bin = 16;  // positions 1-16, 17-32, 33-64, 65-128, ...

// What the samples contribute: as a whole, and by bins of their positions.
struct Scores {
  std::vector<SampleScore> whole;
  std::vector<std::vector<SampleScore>> by_bin;  // [bins][samples]
};

void add_samples(std::vector<SampleScore>& samples,
                 const Tensor& nats,    // [B, n] float64, 0 where not scored
                 const Tensor& hits,    // [B, n] float64, 0 where not scored
                 const Tensor& scored)  // [B, n] float64
{
  const Tensor sums = at::stack({nats.sum(1), hits.sum(1), scored.sum(1)}, 1).cpu();  // [B, 3]
  const auto values = sums.accessor<double, 2>();
  for (int64_t b = 0; b < sums.size(0); ++b) {
    if (values[b][2] > 0) samples.push_back({values[b][0], values[b][1], values[b][2]});
  }
}

void add_bins(Scores& scores, const Tensor& nats, const Tensor& hits, const Tensor& scored) {
  const int64_t size = nats.size(1);
  int64_t begin = 0;
  for (size_t bin = 0; begin < size; ++bin) {
    const int64_t end = std::min(size, first_bin << bin);
    if (scores.by_bin.size() <= bin) scores.by_bin.emplace_back();
    add_samples(scores.by_bin[bin], nats.slice(1, begin, end), hits.slice(1, begin, end),
                scored.slice(1, begin, end));
    begin = end;
  }
}

void score_batch(Model& model, const Batch& batch, bool by_position, Scores& scores) {
  const Tensor outputs = model.forward(batch).to(at::kFloat);  // [B, N, outputs]
  const Tensor scored = batch.scored.to(at::kDouble);
  const Tensor log_likelihood =
      outputs.log_softmax(2).gather(2, batch.targets.unsqueeze(2)).squeeze(2);
  const Tensor nats = -log_likelihood.to(at::kDouble) * scored;
  const Tensor hits = (outputs.argmax(2) == batch.targets).to(at::kDouble) * scored;
  add_samples(scores.whole, nats, hits, scored);
  if (by_position) add_bins(scores, nats, hits, scored);
}

class SizeEvaluation {
 public:
  SizeEvaluation(const RunConfig& config, const Experiment& experiment, int64_t size)
      : traits_(experiment.traits),
        size_(size),
        factor_(static_cast<double>(size) / static_cast<double>(config.train.size)) {}

  void add_rows(const Scores& scores, std::vector<EvaluationRow>& rows) const {
    for (const auto& metric : traits_.metrics) rows.push_back(row(metric, scores.whole));
    for (size_t bin = 0; bin < scores.by_bin.size(); ++bin) {
      if (scores.by_bin[bin].empty()) continue;
      EvaluationRow part = row(traits_.metrics.front(), scores.by_bin[bin]);
      const int64_t begin = bin == 0 ? 0 : first_bin << (bin - 1);
      part.condition = fmt::format("position {}-{}", begin + 1, first_bin << bin);
      rows.push_back(part);
    }
  }

  void add_undefined(const std::string& reason, std::vector<EvaluationRow>& rows) const {
    for (const auto& metric : traits_.metrics) {
      EvaluationRow row = empty_row(metric);
      row.defined = false;
      row.reason = reason;
      rows.push_back(row);
    }
  }

 private:
  EvaluationRow empty_row(const std::string& metric) const {
    EvaluationRow row;
    row.size = size_;
    row.factor = factor_;
    row.metric = metric;
    if (metric == traits_.metrics.front()) row.chance = traits_.chance;
    return row;
  }

  EvaluationRow row(const std::string& metric, const std::vector<SampleScore>& samples) const {
    const Estimate result = estimate(metric, samples);
    EvaluationRow row = empty_row(metric);
    row.value = result.value;
    row.standard_error = result.standard_error;
    row.samples = static_cast<int64_t>(samples.size());
    return row;
  }

  const TaskTraits& traits_;
  int64_t size_;
  double factor_;
};

}  // namespace

std::vector<EvaluationRow> evaluate(const RunConfig& config, const Experiment& experiment,
                                    const std::function<void(int64_t size)>& before_batch) {
  const at::NoGradGuard no_gradients;
  Model& model = *experiment.model;
  model.eval();
  std::vector<EvaluationRow> rows;
  for (const auto& request : evaluation_requests(config)) {
    Scores scores;
    std::optional<std::string> undefined;
    uint64_t batches = 0;
    experiment.task->evaluation(request, [&](const Batch& batch) {
      before_batch(request.size);
      // The first batch tells; the samples of a size differ in content, not in range.
      if (scores.whole.empty() && !undefined) {
        undefined = model.undefined_at(batch.structures.front());
      }
      if (!undefined) {
        // Random positions, like the samples, are the same for every run.
        const Batch placed = model.drawn(batch, stream(0, "evaluation positions", batches++));
        score_batch(model, beside(model, placed), experiment.traits.by_position, scores);
      }
    });
    const SizeEvaluation evaluation(config, experiment, request.size);
    if (undefined) {
      evaluation.add_undefined(*undefined, rows);
    } else {
      evaluation.add_rows(scores, rows);
    }
  }
  return rows;
}

}  // namespace relbias
