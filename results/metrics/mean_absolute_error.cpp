// SPDX-License-Identifier: Apache-2.0
// results/metrics: the mean of |answer - target|.
#include <cmath>

#include "results/metrics/metric.h"

namespace relbias::results {

MetricEntry metric_mean_absolute_error() {
  return ratio_metric({.summary = "mean of |answer - target|",
                       .judges = Judges::numbers,
                       .columns = {"errors", "count"},
                       .keep = [](const Answered& one, std::span<double> kept) {
                         kept[0] += std::abs(one.answer - one.target);
                         kept[1] += 1;
                       }});
}

}  // namespace relbias::results
