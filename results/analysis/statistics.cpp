// SPDX-License-Identifier: Apache-2.0
// results/analysis: what a few repeated measurements say.
#include "results/analysis/statistics.h"

#include <algorithm>
#include <boost/math/statistics/univariate_statistics.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <numeric>

namespace relbias::results {
namespace {

constexpr double tail = 0.025;

// Boost's generators give the same numbers with every compiler and library.
using Generator = boost::random::mt19937_64;

// Fewer draws of many values, whose quantiles need no more: the time stays the same.
size_t drawn_resamples(size_t values) { return std::clamp<size_t>(2'000'000 / values, 1000, 4000); }

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The least of the values that a share of them does not exceed.
double quantile(std::vector<double>& values, double share) {
  const auto count = static_cast<double>(values.size());
  const auto index = static_cast<size_t>(std::max(0.0, std::ceil(share * count - 1e-9) - 1));
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

Interval middle_of(std::vector<double> statistics) {
  const double low = quantile(statistics, tail);
  return {low, quantile(statistics, 1 - tail)};
}

std::vector<double> resample(std::span<const double> values, Generator& generator) {
  const boost::random::uniform_int_distribution<size_t> any(0, values.size() - 1);
  std::vector<double> drawn(values.size());
  for (double& value : drawn) value = values[any(generator)];
  return drawn;
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

Interval stratified_interval(const std::vector<std::vector<double>>& strata) {
  const auto is_repeated = [](const auto& stratum) { return stratum.size() > 1; };
  if (std::ranges::none_of(strata, is_repeated)) return {};
  size_t values = 0;
  for (const auto& stratum : strata) values += stratum.size();
  Generator generator(0);
  std::vector<double> statistics(drawn_resamples(values));
  for (double& statistic : statistics) {
    std::vector<double> together;
    for (const auto& stratum : strata) {
      if (stratum.empty()) continue;
      const std::vector<double> drawn = resample(stratum, generator);
      together.insert(together.end(), drawn.begin(), drawn.end());
    }
    statistic = interquartile_mean(together);
  }
  return middle_of(std::move(statistics));
}

double interquartile_mean(std::span<const double> values) {
  if (values.empty()) return not_given;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const size_t cut = sorted.size() / 4;
  return mean_of(std::span(sorted).subspan(cut, sorted.size() - 2 * cut));
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
