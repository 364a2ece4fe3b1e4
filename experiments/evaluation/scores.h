// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: answers of a model against the right ones, kept sample by sample.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiments/evaluation/task_metric.h"
#include "modalities/modality.h"
#include "results/record.h"

namespace relbias::experiments {

struct Estimate {
  double value = not_given;           // NaN: these samples do not say
  double standard_error = not_given;  // over samples; NaN for a single one
};

/// The rows of [columns][m] in which something stands: not NaN in every column.
Columns rows_with_values(const Columns& columns);

/// One metric's columns of test samples.
class KeptSamples {
 public:
  explicit KeptSamples(const TaskMetric& metric);

  /// Of the samples that have a scored target of the metric's question.
  int64_t count() const { return static_cast<int64_t>(columns().front().size()); }
  Columns columns() const { return rows_with_values(rows_); }
  Estimate estimate() const;
  /// [columns][m] Of all m samples; NaN in every column where a sample has no such target.
  Columns rows(size_t samples) const;
  std::vector<std::string> names() const { return names_; }

 private:
  friend class Scores;

  /// The row that a target is added to: of a new sample, or of one that goes on.
  void add(size_t row, const std::vector<double>& kept);

  const MetricEntry* entry_;
  std::vector<std::string> names_;
  Columns rows_;
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
  int64_t samples(const std::string& metric) const { return kept(metric).count(); }
  Columns columns(const std::string& metric) const { return kept(metric).columns(); }
  /// Likewise of the guesses; empty where there are none.
  Columns guesses(const std::string& metric) const { return guessed(metric).columns(); }
  Estimate metric(const std::string& metric) const { return kept(metric).estimate(); }
  /// What the guesses reach; NaN where there are none, and of metrics that judge probabilities.
  double guessing(const std::string& metric) const { return guessed(metric).estimate().value; }

  const KeptSamples& kept(const std::string& metric) const { return kept_.by_metric.at(metric); }
  const KeptSamples& guessed(const std::string& metric) const {
    return guesses_.by_metric.at(metric);
  }
  /// [m] Where each sample that the model answered is from.
  const std::vector<std::string>& sources() const { return kept_.sources; }

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
  // What a model or a rule answered. Samples of one source, which follow each other, are one.
  struct Answerer {
    std::map<std::string, KeptSamples> by_metric{};
    std::vector<std::string> sources{};  // [m]
    int64_t batch_samples = 0;           // met so far, those of one source counted singly
  };

  static Judged judged(const Question& question, const Tensor& output, const Answers& answers);
  static Judged judged_guess(const Answers& answers);
  Judged joint(const std::vector<Judged>& all) const;
  std::vector<size_t> rows_of(const Batch& batch, Answerer& of) const;
  void keep(const std::vector<Judged>& all, const std::vector<size_t>& rows, Answerer& to) const;
  static void keep(const Judged& judged, std::pair<int64_t, int64_t> positions,
                   const std::vector<size_t>& rows, KeptSamples& to);
  void add_by_position(const Judged& first, const std::vector<size_t>& rows);

  const TaskTraits& task_;
  std::vector<TaskMetric> metrics_;
  bool adds_up_;  // every metric can take two samples as one
  Answerer kept_, guesses_;
  std::vector<PositionBin> bins_;
};

}  // namespace relbias::experiments
