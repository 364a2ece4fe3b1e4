// SPDX-License-Identifier: Apache-2.0
// results/metrics: the harmonic mean of precision and recall of the positive category.
#include "results/metrics/metric.h"

namespace relbias::results {

MetricEntry metric_f1() {
  MetricEntry entry{.summary = "2 hits / (positive targets + positive answers), of category 1",
                    .higher_is_better = true,
                    .most = 1,
                    .judges = Judges::two_categories,
                    .columns = {"hits", "positive targets", "positive answers"},
                    .keep = [](const Answered& one, std::span<double> kept) {
                      kept[0] += one.target == 1 && one.answer == 1 ? 1 : 0;
                      kept[1] += one.target == 1 ? 1 : 0;
                      kept[2] += one.answer == 1 ? 1 : 0;
                    }};
  // 0 / 0, no value, where there is no positive target and none was answered.
  return metric_of_totals(
      entry, [](std::span<const double> total) { return 2 * total[0] / (total[1] + total[2]); });
}

}  // namespace relbias::results
