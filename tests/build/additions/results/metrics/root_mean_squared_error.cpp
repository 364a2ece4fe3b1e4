// SPDX-License-Identifier: Apache-2.0
// An addition that one_file_test.sh puts into results/metrics.
#include <cmath>

#include "results/metrics/metric.h"

namespace relbias::results {

MetricEntry metric_root_mean_squared_error() {
  MetricEntry entry{.summary = "sqrt(mean of (answer - target)^2)",
                    .judges = Judges::numbers,
                    .columns = {"squared errors", "count"},
                    .keep = [](const Answered& one, std::span<double> kept) {
                      kept[0] += (one.answer - one.target) * (one.answer - one.target);
                      kept[1] += 1;
                    }};
  return metric_of_totals(
      entry, [](std::span<const double> total) { return std::sqrt(total[0] / total[1]); });
}

}  // namespace relbias::results
