// SPDX-License-Identifier: Apache-2.0
// results/metrics: e to the mean of -ln p(target).
#include <cmath>

#include "results/metrics/metric.h"

namespace relbias::results {

MetricEntry metric_cross_entropy();

MetricEntry metric_perplexity() {
  MetricEntry entry = metric_cross_entropy();
  entry.summary = "exp of the mean of -ln p(target)";
  entry.least = 1;
  entry.unit.clear();
  return metric_of_totals(
      entry, [](std::span<const double> total) { return std::exp(total[0] / total[1]); });
}

}  // namespace relbias::results
