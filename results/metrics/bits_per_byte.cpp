// SPDX-License-Identifier: Apache-2.0
// results/metrics: the mean of -log2 p(target), of targets that are bytes.
#include <numbers>

#include "results/metrics/metric.h"

namespace relbias::results {

MetricEntry metric_bits_per_byte() {
  return ratio_metric({.summary = "mean of -log2 p(target), where targets are bytes",
                       .unit = "bits",
                       .columns = {"bits", "count"},
                       .keep = [](const Answered& one, std::span<double> kept) {
                         kept[0] += one.nats / std::numbers::ln2;
                         kept[1] += 1;
                       }});
}

}  // namespace relbias::results
