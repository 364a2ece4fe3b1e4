// SPDX-License-Identifier: Apache-2.0
// results/analysis: what a few repeated measurements say.
#include "results/analysis/statistics.h"

#include <algorithm>
#include <boost/math/statistics/univariate_statistics.hpp>
#include <cmath>
#include <numeric>

namespace relbias::results {
namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

Summary summarise(std::span<const double> values) {
  Summary summary;
  summary.count = static_cast<int64_t>(values.size());
  if (values.empty()) return summary;
  summary.mean = mean_of(values);
  if (values.size() < 2) return summary;
  summary.deviation =
      std::sqrt(boost::math::statistics::sample_variance(values.begin(), values.end()));
  summary.standard_error = summary.deviation / std::sqrt(static_cast<double>(values.size()));
  return summary;
}

double median(std::span<const double> values) {
  if (values.empty()) return not_given;
  std::vector<double> copy(values.begin(), values.end());
  return boost::math::statistics::median(copy);
}

std::vector<double> ranks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t index) { return values[index]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double shared = static_cast<double>(begin + 1 + end) / 2;
    for (; begin < end; ++begin) ranks[order[begin]] = shared;
  }
  return ranks;
}

}  // namespace relbias::results
