// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: which question of a task a metric judges.
#pragma once

#include <string>
#include <vector>

#include "modalities/modality.h"
#include "results/metrics/metric.h"

namespace relbias::experiments {

/// `depth balanced accuracy` of a task whose questions are depth and opener. Without a name a
/// metric judges the first question.
struct TaskMetric {
  std::string name;
  const MetricEntry* entry = nullptr;
  size_t question = 0;  // joint metrics: unused
  int64_t categories = 0;

  bool is_joint() const { return entry->judges == Judges::joint_choices; }
};

/// Throws InputError where there is no such metric or question, or the metric cannot judge the
/// question's answers.
TaskMetric task_metric(const std::string& name, const TaskTraits& task);

}  // namespace relbias::experiments
