// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: what metrics keep of a model's outputs.
#include "experiments/evaluation/scores.h"

#include <ATen/ATen.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace relbias::experiments {
namespace {

constexpr int64_t first_bin = 16;  // positions 1-16, 17-32, 33-64, 65-128, ...

Tensor as_real(const Tensor& tensor) { return tensor.to(at::kDouble).cpu().contiguous(); }

Tensor unknown_like(const Tensor& tensor) { return at::full_like(tensor, not_given); }

}  // namespace

Columns rows_with_values(const Columns& columns) {
  Columns found(columns.size());
  for (size_t row = 0; row < columns.front().size(); ++row) {
    const bool any = std::ranges::any_of(
        columns, [&](const std::vector<double>& column) { return !std::isnan(column[row]); });
    for (size_t c = 0; any && c < columns.size(); ++c) found[c].push_back(columns[c][row]);
  }
  return found;
}

KeptSamples::KeptSamples(const TaskMetric& metric)
    : entry_(metric.entry),
      names_(column_names(*metric.entry, metric.categories)),
      rows_(names_.size()) {}

Estimate KeptSamples::estimate() const {
  const Columns found = columns();
  if (found.front().empty()) return {};
  return {entry_->value(found), standard_error(entry_->influence(found))};
}

Columns KeptSamples::rows(size_t samples) const {
  Columns all = rows_;
  for (std::vector<double>& column : all) column.resize(samples, not_given);
  return all;
}

void KeptSamples::add(size_t row, const std::vector<double>& kept) {
  const bool goes_on = row < rows_.front().size() && !std::isnan(rows_.back()[row]);
  for (size_t c = 0; c < kept.size(); ++c) {
    std::vector<double>& column = rows_[c];
    if (column.size() <= row) column.resize(row + 1, not_given);
    column[row] = goes_on ? column[row] + kept[c] : kept[c];
  }
}

Scores::Scores(const TaskTraits& task) : task_(task), adds_up_(true) {
  for (const std::string& name : task.metrics) {
    metrics_.push_back(task_metric(name, task));
    adds_up_ &= !metrics_.back().entry->one_target;
    kept_.by_metric.emplace(name, metrics_.back());
    guesses_.by_metric.emplace(name, metrics_.back());
  }
}

// The sample that each of the batch belongs to.
std::vector<size_t> Scores::rows_of(const Batch& batch, Answerer& of) const {
  std::vector<size_t> rows;
  for (int64_t b = 0; b < batch.answers.front().targets.size(0); ++b) {
    const bool own = batch.sources.empty();
    const std::string source =
        own ? fmt::format("{}", of.batch_samples) : batch.sources.at(static_cast<size_t>(b));
    ++of.batch_samples;
    const bool goes_on = !own && adds_up_ && !of.sources.empty() && of.sources.back() == source;
    if (!goes_on) of.sources.push_back(source);
    rows.push_back(of.sources.size() - 1);
  }
  return rows;
}

void Scores::add(const std::vector<Tensor>& outputs, const Batch& batch) {
  std::vector<Judged> all;
  for (size_t n = 0; n < outputs.size(); ++n) {
    all.push_back(judged(task_.questions[n], outputs[n], batch.answers[n]));
  }
  const std::vector<size_t> rows = rows_of(batch, kept_);
  keep(all, rows, kept_);
  if (task_.by_position) add_by_position(all[metrics_.front().question], rows);
}

void Scores::add_guesses(const Batch& batch) {
  std::vector<Judged> all;
  for (const Answers& answers : batch.answers) all.push_back(judged_guess(answers));
  keep(all, rows_of(batch, guesses_), guesses_);
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
  const Tensor nats = answers.guess_nats.defined() ? as_real(answers.guess_nats) : unknown;
  return {target, as_real(answers.guesses), nats, unknown, answers.scored.cpu()};
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

void Scores::keep(const std::vector<Judged>& all, const std::vector<size_t>& rows,
                  Answerer& to) const {
  for (const TaskMetric& metric : metrics_) {
    const Judged& one = metric.is_joint() ? joint(all) : all[metric.question];
    if (!one.target.defined()) continue;
    keep(one, {0, one.target.size(1)}, rows, to.by_metric.at(metric.name));
  }
}

// Positions first to last - 1 of every sample; nothing of samples without a scored target there.
void Scores::keep(const Judged& judged, std::pair<int64_t, int64_t> positions,
                  const std::vector<size_t>& rows, KeptSamples& to) {
  const auto target = judged.target.accessor<double, 2>();
  const auto answer = judged.answer.accessor<double, 2>();
  const auto nats = judged.nats.accessor<double, 2>();
  const auto score = judged.score.accessor<double, 2>();
  const auto scored = judged.scored.accessor<bool, 2>();
  std::vector<double> kept(to.names_.size());
  for (int64_t b = 0; b < target.size(0); ++b) {
    std::ranges::fill(kept, 0);
    bool counts = false;
    for (int64_t t = positions.first; t < positions.second; ++t) {
      if (!scored[b][t]) continue;
      to.entry_->keep({target[b][t], answer[b][t], nats[b][t], score[b][t]}, kept);
      counts = true;
    }
    if (counts) to.add(rows[static_cast<size_t>(b)], kept);
  }
}

void Scores::add_by_position(const Judged& first, const std::vector<size_t>& rows) {
  const int64_t size = first.target.size(1);
  int64_t begin = 0;
  for (size_t bin = 0; begin < size; ++bin) {
    const int64_t end = first_bin << bin;
    if (bins_.size() <= bin) bins_.push_back({begin + 1, end, KeptSamples(metrics_.front())});
    keep(first, {begin, std::min(size, end)}, rows, bins_[bin].samples);
    begin = end;
  }
}

}  // namespace relbias::experiments
