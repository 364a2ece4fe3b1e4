// SPDX-License-Identifier: Apache-2.0
// results/metrics: the mean of -ln p(target).
#include "results/metrics/metric.h"

namespace relbias::results {

MetricEntry metric_cross_entropy() {
  return ratio_metric({.summary = "mean of -ln p(target)",
                       .unit = "nats",
                       .columns = {"nats", "count"},
                       .keep = [](const Answered& one, std::span<double> kept) {
                         kept[0] += one.nats;
                         kept[1] += 1;
                       }});
}

}  // namespace relbias::results
