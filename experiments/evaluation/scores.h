// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: answers of a model against the right ones, kept sample by sample.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/evaluation/task_metric.h"
#include "modalities/modality.h"
#include "results/record.h"

namespace relbias::experiments {

struct Estimate {
  double value = not_given;           // NaN: these samples do not say
  double standard_error = not_given;  // over samples; NaN for a single one
};

/// One metric's columns of the samples that have a scored target of its question.
class KeptSamples {
 public:
  explicit KeptSamples(const TaskMetric& metric);

  int64_t count() const { return static_cast<int64_t>(columns_.front().size()); }
  const Columns& columns() const { return columns_; }
  Estimate estimate() const;

 private:
  friend class Scores;

  const MetricEntry* entry_;
  Columns columns_;
};

/// What an evaluation keeps for every metric of a task, one sample after the other.
class Scores {
 public:
  /// Throws InputError as task_metric does.
  explicit Scores(const TaskTraits& task);

  /// `outputs` of Model::forward on the batch.
  void add(const std::vector<Tensor>& outputs, const Batch& batch);
  /// The task's own guesses, whether or not the model can answer.
  void add_guesses(const Batch& batch);

  /// Samples with a scored target of the metric's question.
  int64_t samples(const std::string& metric) const { return kept_.at(metric).count(); }
  const Columns& columns(const std::string& metric) const { return kept_.at(metric).columns(); }
  /// Likewise of the guesses; empty where there are none.
  const Columns& guesses(const std::string& metric) const { return guesses_.at(metric).columns(); }
  Estimate metric(const std::string& metric) const { return kept_.at(metric).estimate(); }
  /// What the guesses reach; NaN where there are none, and of metrics that judge probabilities.
  double guessing(const std::string& metric) const { return guesses_.at(metric).estimate().value; }

  /// The first metric by bins of positions 1-16, 17-32, 33-64, ...; empty unless the task asks.
  struct PositionBin {
    int64_t first, last;  // positions, counted from 1
    KeptSamples samples;
  };
  const std::vector<PositionBin>& by_position() const { return bins_; }

 private:
  // Answers to one question, on the CPU, all [B, T].
  struct Judged {
    Tensor target, answer, nats, score;  // float64
    Tensor scored;                       // bool
  };
  using ByMetric = std::map<std::string, KeptSamples>;

  static Judged judged(const Question& question, const Tensor& output, const Answers& answers);
  static Judged judged_guess(const Answers& answers);
  Judged joint(const std::vector<Judged>& all) const;
  void keep(const std::vector<Judged>& all, ByMetric& to) const;
  static void keep(const Judged& judged, int64_t first, int64_t last, KeptSamples& to);
  void add_by_position(const Judged& first);

  const TaskTraits& task_;
  std::vector<TaskMetric> metrics_;
  ByMetric kept_, guesses_;
  std::vector<PositionBin> bins_;
};

}  // namespace relbias::experiments
