// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: losses, and sums over samples from which metrics are taken.
#include "experiments/evaluation/scores.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

namespace relbias::experiments {
namespace {

constexpr int64_t not_scored = -100;  // the target that cross-entropy leaves out
constexpr int64_t first_bin = 16;     // positions 1-16, 17-32, 33-64, 65-128, ...

// `depth balanced accuracy`: the measure `balanced accuracy` of the question depth.
struct MetricName {
  std::string question;
  std::string measure;
};

MetricName split(const std::string& metric, const TaskTraits& task) {
  std::string longest;  // names may begin alike: `logP` and `logP exp`
  for (const Question& question : task.questions) {
    const bool fits = metric.starts_with(question.name + " ");
    if (fits && question.name.size() > longest.size()) longest = question.name;
  }
  if (!longest.empty()) return {longest, metric.substr(longest.size() + 1)};
  if (metric == "joint accuracy") return {"joint", "accuracy"};
  return {task.questions.front().name, metric};
}

bool is_balanced(const std::string& metric) { return metric.ends_with("balanced accuracy"); }

// What every target contributes: nats, hits, absolute errors, 1; all 0 where not scored,
// [4, B, T] float64.
Tensor contributions(const Question& question,
                     const Tensor& answered,  // [B, T] as targets
                     const Tensor& nats,      // [B, T]
                     const Answers& answers) {
  const Tensor zeros = at::zeros_like(answered, at::kDouble);
  const bool number = question.kind == Question::Kind::number;
  const Tensor hits = number ? zeros : (answered == answers.targets).to(at::kDouble);
  const Tensor errors = number ? (answered.to(at::kDouble) - answers.targets).abs() : zeros;
  // Filled, not multiplied: an unscored target may be NaN.
  return at::stack({nats.to(at::kDouble), hits, errors, at::ones_like(zeros)})
      .masked_fill(answers.scored.logical_not().unsqueeze(0), 0.0)
      .cpu();
}

// Of a model's output, [B, T, outputs], [B, T, N] or, of a number, [B, T].
Tensor contributions(const Question& question, const Tensor& output, const Answers& answers) {
  if (question.kind == Question::Kind::number) {
    const Tensor answered = output.to(at::kDouble) * question.deviation + question.mean;
    return contributions(question, answered, at::zeros_like(answered), answers);
  }
  const Tensor scores = output.to(at::kFloat);
  const Tensor nats = -scores.log_softmax(2).gather(2, answers.targets.unsqueeze(2)).squeeze(2);
  return contributions(question, scores.argmax(2), nats, answers);
}

// One sample a row of `values`, [4, B, T]; samples without a scored target are none.
void add_samples(std::vector<SampleScore>& samples, const Tensor& values) {
  const Tensor sums = values.sum(2).t().contiguous();  // [B, 4]
  const auto sum = sums.accessor<double, 2>();
  for (int64_t b = 0; b < sums.size(0); ++b) {
    if (sum[b][3] > 0) samples.push_back({sum[b][0], sum[b][1], sum[b][3], sum[b][2]});
  }
}

}  // namespace

Tensor question_loss(const Question& question, const Tensor& output, const Answers& answers) {
  const Tensor scored = answers.scored;
  if (question.kind == Question::Kind::number) {
    const Tensor wanted =
        ((answers.targets - question.mean) / question.deviation).masked_fill(~scored, 0.0);
    const Tensor found = output.to(at::kFloat).masked_fill(~scored, 0.0);
    return at::smooth_l1_loss(found, wanted.to(at::kFloat), at::Reduction::Sum) /
           scored.sum().clamp_min(1);
  }
  const Tensor targets = answers.targets.masked_fill(~scored, not_scored).flatten();
  const Tensor sum = at::cross_entropy_loss(output.flatten(0, 1).to(at::kFloat), targets, {},
                                            at::Reduction::Sum, not_scored);
  return sum / scored.sum().clamp_min(1);
}

void Scores::add(const std::vector<Tensor>& outputs, const Batch& batch) {
  by_category_.resize(task_.questions.size());
  std::vector<Tensor> all;
  for (size_t n = 0; n < outputs.size(); ++n) {
    const Question& question = task_.questions[n];
    all.push_back(contributions(question, outputs[n], batch.answers[n]));
    add_samples(by_question_[question.name], all.back());
    if (question.kind == Question::Kind::category) add_categories(n, all.back(), batch);
  }
  if (task_.by_position) add_by_position(all.front());
  if (all.size() > 1) add_joint(all, by_question_);
}

void Scores::add_guesses(const Batch& batch) {
  std::vector<Tensor> all;
  for (size_t n = 0; n < batch.answers.size(); ++n) {
    const Answers& answers = batch.answers[n];
    if (!answers.guesses.defined()) continue;
    const Question& question = task_.questions[n];
    const Tensor no_nats = at::zeros_like(answers.guesses, at::kDouble);
    all.push_back(contributions(question, answers.guesses, no_nats, answers));
    add_samples(guesses_[question.name], all.back());
  }
  if (all.size() > 1 && all.size() == batch.answers.size()) add_joint(all, guesses_);
}

void Scores::add_categories(size_t question, const Tensor& values, const Batch& batch) {
  bool wanted = false;
  for (const auto& metric : task_.metrics) wanted |= is_balanced(metric);
  if (!wanted) return;
  const Tensor targets = batch.answers[question].targets.cpu();
  for (int64_t category = 0; category < task_.questions[question].outputs; ++category) {
    const Tensor others = (targets != category).unsqueeze(0);
    add_samples(by_category_[question][category], values.masked_fill(others, 0.0));
  }
}

void Scores::add_by_position(const Tensor& values) {
  const int64_t size = values.size(2);
  int64_t begin = 0;
  for (size_t bin = 0; begin < size; ++bin) {
    const int64_t end = first_bin << bin;
    if (bins_.size() <= bin) bins_.push_back({begin + 1, end, {}});
    add_samples(bins_[bin].samples, values.slice(2, begin, std::min(size, end)));
    begin = end;
  }
}

void Scores::add_joint(const std::vector<Tensor>& values, ByQuestion& to) const {
  bool tokens = true;
  for (const Question& question : task_.questions) {
    tokens &= question.about == Question::About::token;
  }
  Tensor wrong, scored;  // [B, T] or [B, 1]
  for (const Tensor& question : values) {
    Tensor misses = question[3] - question[1], count = question[3];
    if (!tokens) {
      misses = misses.sum(1, true);
      count = count.sum(1, true);
    }
    wrong = wrong.defined() ? wrong + misses : misses;
    scored = scored.defined() ? scored + count : count;
  }
  const Tensor counted = (scored > 0).to(at::kDouble);
  const Tensor hits = (wrong == 0).to(at::kDouble) * counted;
  const Tensor zero = at::zeros_like(hits);
  add_samples(to["joint"], at::stack({zero, hits, zero, counted}));
}

int64_t Scores::samples(const std::string& metric) const {
  const auto found = by_question_.find(split(metric, task_).question);
  return found == by_question_.end() ? 0 : static_cast<int64_t>(found->second.size());
}

Estimate Scores::balanced(const std::string& question) const {
  Estimate mean{0, 0};
  double categories = 0;
  for (size_t n = 0; n < by_category_.size(); ++n) {
    if (task_.questions[n].name != question) continue;
    for (const auto& [category, samples] : by_category_[n]) {
      if (samples.empty()) continue;
      const Estimate one = estimate("accuracy", samples);
      mean.value += one.value;
      mean.standard_error += one.standard_error * one.standard_error;
      ++categories;
    }
  }
  return {mean.value / categories, std::sqrt(mean.standard_error) / categories};
}

Estimate Scores::metric(const std::string& metric) const {
  if (samples(metric) == 0) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return {none, none};
  }
  const auto [question, measure] = split(metric, task_);
  if (measure == "balanced accuracy") return balanced(question);
  return estimate(measure, by_question_.at(question));
}

double Scores::guessing(const std::string& metric) const {
  const auto [question, measure] = split(metric, task_);
  const auto found = guesses_.find(question);
  const bool judged = measure == "accuracy" || measure == "mean-absolute-error";
  if (!judged || found == guesses_.end() || found->second.empty()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return estimate(measure, found->second).value;
}

}  // namespace relbias::experiments
