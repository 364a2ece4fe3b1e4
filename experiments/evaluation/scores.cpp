// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: what metrics keep of a model's outputs.
#include "experiments/evaluation/scores.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace relbias::experiments {
namespace {

constexpr int64_t first_bin = 16;  // positions 1-16, 17-32, 33-64, 65-128, ...

Tensor as_real(const Tensor& tensor) { return tensor.to(at::kDouble).cpu().contiguous(); }

Tensor unknown_like(const Tensor& tensor) { return at::full_like(tensor, not_given); }

}  // namespace

KeptSamples::KeptSamples(const TaskMetric& metric)
    : entry_(metric.entry), columns_(column_names(*metric.entry, metric.categories).size()) {}

Estimate KeptSamples::estimate() const {
  if (count() == 0) return {};
  return {entry_->value(columns_), standard_error(entry_->influence(columns_))};
}

Scores::Scores(const TaskTraits& task) : task_(task) {
  for (const std::string& name : task.metrics) {
    metrics_.push_back(task_metric(name, task));
    kept_.emplace(name, metrics_.back());
    guesses_.emplace(name, metrics_.back());
  }
}

void Scores::add(const std::vector<Tensor>& outputs, const Batch& batch) {
  std::vector<Judged> all;
  for (size_t n = 0; n < outputs.size(); ++n) {
    all.push_back(judged(task_.questions[n], outputs[n], batch.answers[n]));
  }
  keep(all, kept_);
  if (task_.by_position) add_by_position(all[metrics_.front().question]);
}

void Scores::add_guesses(const Batch& batch) {
  std::vector<Judged> all;
  for (const Answers& answers : batch.answers) all.push_back(judged_guess(answers));
  keep(all, guesses_);
}

// `output`: [B, T, outputs], [B, T, N] or, of a number, [B, T].
Scores::Judged Scores::judged(const Question& question, const Tensor& output,
                              const Answers& answers) {
  const Tensor target = as_real(answers.targets), scored = answers.scored.cpu();
  if (question.kind == Question::Kind::number) {
    const Tensor answer = as_real(output) * question.deviation + question.mean;
    return {target, answer, unknown_like(target), unknown_like(target), scored};
  }
  const Tensor logits = output.to(at::kFloat);
  const Tensor nats = -logits.log_softmax(2).gather(2, answers.targets.unsqueeze(2)).squeeze(2);
  const bool two = question.kind == Question::Kind::category && question.outputs == 2;
  return {target, as_real(logits.argmax(2)), as_real(nats),
          two ? as_real(logits.select(2, 1) - logits.select(2, 0)) : unknown_like(target), scored};
}

Scores::Judged Scores::judged_guess(const Answers& answers) {
  if (!answers.guesses.defined()) return {};
  const Tensor target = as_real(answers.targets), unknown = unknown_like(target);
  return {target, as_real(answers.guesses), unknown, unknown, answers.scored.cpu()};
}

// Of samples, or of tokens where all questions are about tokens: 1 where all answers are right.
Scores::Judged Scores::joint(const std::vector<Judged>& all) const {
  const bool tokens = std::ranges::all_of(task_.questions, [](const Question& question) {
    return question.about == Question::About::token;
  });
  Tensor right, scored;  // [B, T] or [B, 1]
  for (const Judged& one : all) {
    if (!one.target.defined()) return {};
    Tensor this_right = (one.answer == one.target).logical_or(~one.scored), counts = one.scored;
    if (!tokens) {
      this_right = this_right.all(1, true);
      counts = counts.any(1, true);
    }
    right = right.defined() ? right.logical_and(this_right) : this_right;
    scored = scored.defined() ? scored.logical_or(counts) : counts;
  }
  const Tensor answer = as_real(right), unknown = unknown_like(answer);
  return {at::ones_like(answer), answer, unknown, unknown, scored};
}

void Scores::keep(const std::vector<Judged>& all, ByMetric& to) const {
  for (const TaskMetric& metric : metrics_) {
    const Judged& one = metric.is_joint() ? joint(all) : all[metric.question];
    if (one.target.defined()) keep(one, 0, one.target.size(1), to.at(metric.name));
  }
}

// Positions first to last - 1 of every sample; samples without a scored target there are none.
void Scores::keep(const Judged& judged, int64_t first, int64_t last, KeptSamples& to) {
  const auto target = judged.target.accessor<double, 2>();
  const auto answer = judged.answer.accessor<double, 2>();
  const auto nats = judged.nats.accessor<double, 2>();
  const auto score = judged.score.accessor<double, 2>();
  const auto scored = judged.scored.accessor<bool, 2>();
  std::vector<double> kept(to.columns_.size());
  for (int64_t b = 0; b < target.size(0); ++b) {
    std::ranges::fill(kept, 0);
    bool counts = false;
    for (int64_t t = first; t < last; ++t) {
      if (!scored[b][t]) continue;
      to.entry_->keep({target[b][t], answer[b][t], nats[b][t], score[b][t]}, kept);
      counts = true;
    }
    if (!counts) continue;
    for (size_t c = 0; c < kept.size(); ++c) to.columns_[c].push_back(kept[c]);
  }
}

void Scores::add_by_position(const Judged& first) {
  const int64_t size = first.target.size(1);
  int64_t begin = 0;
  for (size_t bin = 0; begin < size; ++bin) {
    const int64_t end = first_bin << bin;
    if (bins_.size() <= bin) bins_.push_back({begin + 1, end, KeptSamples(metrics_.front())});
    keep(first, begin, std::min(size, end), bins_[bin].samples);
    begin = end;
  }
}

}  // namespace relbias::experiments
