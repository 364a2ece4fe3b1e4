// SPDX-License-Identifier: Apache-2.0
// results/metrics: the mean over the categories of their accuracies.
#include <limits>

#include "results/metrics/metric.h"

namespace relbias::results {

MetricEntry metric_balanced_accuracy() {
  MetricEntry entry{.summary = "mean, over the categories that targets have, of their accuracies",
                    .higher_is_better = true,
                    .most = 1,
                    .judges = Judges::categories,
                    .columns = {"hits", "count"},
                    .by_category = true,
                    .keep = [](const Answered& one, std::span<double> kept) {
                      const auto category = static_cast<size_t>(one.target);
                      kept[2 * category] += one.answer == one.target ? 1 : 0;
                      kept[2 * category + 1] += 1;
                    }};
  return metric_of_totals(entry, [](std::span<const double> total) {
    double sum = 0, categories = 0;
    for (size_t c = 0; c < total.size(); c += 2) {
      if (total[c + 1] == 0) continue;
      sum += total[c] / total[c + 1];
      ++categories;
    }
    return categories > 0 ? sum / categories : std::numeric_limits<double>::quiet_NaN();
  });
}

}  // namespace relbias::results
