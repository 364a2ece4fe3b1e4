// SPDX-License-Identifier: Apache-2.0
// results/metrics: the share of targets that are answered right.
#include "results/metrics/metric.h"

namespace relbias::results {

MetricEntry metric_accuracy() {
  return ratio_metric({.summary = "share of targets answered right",
                       .higher_is_better = true,
                       .most = 1,
                       .columns = {"hits", "count"},
                       .keep = [](const Answered& one, std::span<double> kept) {
                         kept[0] += one.answer == one.target ? 1 : 0;
                         kept[1] += 1;
                       }});
}

}  // namespace relbias::results
