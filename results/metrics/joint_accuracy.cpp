// SPDX-License-Identifier: Apache-2.0
// results/metrics: the share of samples, or tokens, of which every question is answered right.
#include "results/metrics/metric.h"

namespace relbias::results {

MetricEntry metric_accuracy();

MetricEntry metric_joint_accuracy() {
  MetricEntry entry = metric_accuracy();
  entry.summary =
      "share of samples (where all questions are about tokens: of tokens) with every scored answer "
      "right";
  entry.judges = Judges::joint_choices;
  return entry;
}

}  // namespace relbias::results
