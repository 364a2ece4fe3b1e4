// SPDX-License-Identifier: Apache-2.0
// results: what a few repeated measurements say.
#include "results/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace relbias {

Summary summarise(std::span<const double> values) {
  Summary summary;
  summary.count = static_cast<int64_t>(values.size());
  if (values.empty()) return summary;
  const auto count = static_cast<double>(values.size());
  summary.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() < 2) return summary;
  double squares =
      0;  // around the mean, in a second pass: large values of small spread cancel otherwise
  for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
  summary.deviation = std::sqrt(squares / (count - 1));
  summary.standard_error = summary.deviation / std::sqrt(count);
  return summary;
}

double median(std::span<const double> values) {
  if (values.empty()) return not_given;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

}  // namespace relbias
