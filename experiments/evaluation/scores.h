// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: answers of a model against the right ones, for training and for
// evaluation.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/evaluation/metrics.h"
#include "modalities/modality.h"

namespace relbias::experiments {

/// The mean loss over the scored targets: cross-entropy in nats of a category or pointer, smooth L1
/// of a number in units of its deviation. 0, with gradient 0, where nothing is scored.
Tensor question_loss(const Question& question, const Tensor& output, const Answers& answers);

/// What an evaluation adds up, one sample after the other, and the metrics of a task over it:
///
///     accuracy, cross-entropy, perplexity, bits-per-byte, mean-absolute-error  of one question
///     balanced accuracy   the mean over target categories of their accuracies
///     joint accuracy      share of samples (where all questions are about tokens: of tokens) with
///                         every scored answer right
///
/// Without a name they speak of the first question, `depth accuracy` of the one called depth.
class Scores {
 public:
  explicit Scores(const TaskTraits& task) : task_(task) {}

  /// `outputs` of Model::forward on the batch.
  void add(const std::vector<Tensor>& outputs, const Batch& batch);
  /// The task's own guesses, whether or not the model can answer.
  void add_guesses(const Batch& batch);

  /// Samples with a scored target of the metric's question.
  int64_t samples(const std::string& metric) const;
  /// A metric without any scored target has no value (NaN).
  Estimate metric(const std::string& metric) const;
  /// What the guesses reach: an accuracy or an absolute error; NaN where there are none, and of
  /// other metrics.
  double guessing(const std::string& metric) const;

  /// The first metric by bins of positions 1-16, 17-32, 33-64, ...; empty unless the task asks.
  struct PositionBin {
    int64_t first, last;  // positions, counted from 1
    std::vector<SampleScore> samples;
  };
  const std::vector<PositionBin>& by_position() const { return bins_; }

 private:
  using ByQuestion = std::map<std::string, std::vector<SampleScore>>;  // by name, and "joint"

  // `values`: nats, hits, absolute errors and 1 of every scored target, [4, B, T] float64.
  void add_categories(size_t question, const Tensor& values, const Batch& batch);
  void add_by_position(const Tensor& values);
  void add_joint(const std::vector<Tensor>& values, ByQuestion& to) const;
  Estimate balanced(const std::string& question) const;

  const TaskTraits& task_;
  ByQuestion by_question_, guesses_;
  std::vector<std::map<int64_t, std::vector<SampleScore>>> by_category_;  // one map a question
  std::vector<PositionBin> bins_;
};

}  // namespace relbias::experiments
