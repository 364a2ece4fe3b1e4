// SPDX-License-Identifier: Apache-2.0
// results/metrics: the share of the targets' variance that the answers explain.
#include <limits>

#include "results/metrics/metric.h"

namespace relbias::results {

MetricEntry metric_r2() {
  MetricEntry entry{.summary = "1 - sum (answer - target)^2 / sum (target - mean target)^2",
                    .higher_is_better = true,
                    .least = -std::numeric_limits<double>::infinity(),
                    .most = 1,
                    .judges = Judges::numbers,
                    .columns = {"squared errors", "targets", "squared targets", "count"},
                    .keep = [](const Answered& one, std::span<double> kept) {
                      kept[0] += (one.answer - one.target) * (one.answer - one.target);
                      kept[1] += one.target;
                      kept[2] += one.target * one.target;
                      kept[3] += 1;
                    }};
  return metric_of_totals(entry, [](std::span<const double> total) {
    const double variation = total[2] - total[1] * total[1] / total[3];
    // What rounding leaves of equal targets is no variance.
    const bool none = !(variation > 1e-12 * total[2]);
    return none ? std::numeric_limits<double>::quiet_NaN() : 1 - total[0] / variation;
  });
}

}  // namespace relbias::results
