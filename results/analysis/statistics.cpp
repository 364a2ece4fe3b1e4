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

constexpr size_t exact_resamples = 6;  // values: 6^6 = 46,656 resamples
constexpr size_t exact_flips = 16;     // pairs: 2^16 throws
constexpr double tail = 0.025;

// Boost's generators give the same numbers with every compiler and library.
using Generator = boost::random::mt19937_64;

// Fewer draws of many values, whose quantiles need no more: the time stays the same.
size_t drawn_resamples(size_t values) { return std::clamp<size_t>(2'000'000 / values, 1000, 4000); }
size_t drawn_flips(size_t pairs) { return std::clamp<size_t>(20'000'000 / pairs, 4096, 16384); }

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

// The mean of every resample, counted through like the digits of a number.
std::vector<double> all_means(std::span<const double> values) {
  std::vector<size_t> choice(values.size(), 0);
  std::vector<double> means;
  for (;;) {
    double sum = 0;
    for (const size_t index : choice) sum += values[index];
    means.push_back(sum / static_cast<double>(values.size()));
    size_t place = 0;
    while (place < choice.size() && ++choice[place] == values.size()) choice[place++] = 0;
    if (place == choice.size()) return means;
  }
}

std::vector<double> resample(std::span<const double> values, Generator& generator) {
  const boost::random::uniform_int_distribution<size_t> any(0, values.size() - 1);
  std::vector<double> drawn(values.size());
  for (double& value : drawn) value = values[any(generator)];
  return drawn;
}

bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

double two_sided_p(std::span<const double> differences) {
  const size_t count = differences.size();
  const bool exact = count <= exact_flips;
  const size_t throws = exact ? size_t{1} << count : drawn_flips(count);
  const double found = std::abs(std::accumulate(differences.begin(), differences.end(), 0.0));
  const double least = found * (1 - 1e-12);  // equal sums may differ by rounding
  Generator generator(0);
  size_t as_large = 0;
  for (size_t index = 0; index < throws; ++index) {
    double sum = 0;
    uint64_t signs = exact ? index : 0;
    for (size_t i = 0; i < count; ++i) {
      if (!exact && i % 64 == 0) signs = generator();
      sum += (signs >> (i % 64) & 1) != 0 ? -differences[i] : differences[i];
    }
    if (std::abs(sum) >= least) ++as_large;
  }
  // What was found is one throw more, where not all were made.
  const size_t more = exact ? 0 : 1;
  return static_cast<double>(as_large + more) / static_cast<double>(throws + more);
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

Interval bootstrap_interval(std::span<const double> values) {
  if (values.size() < 2 || !all_finite(values)) return {};
  if (values.size() <= exact_resamples) return middle_of(all_means(values));
  Generator generator(0);
  std::vector<double> means(drawn_resamples(values.size()));
  for (double& mean : means) mean = mean_of(resample(values, generator));
  return middle_of(std::move(means));
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

PairedTest paired_test(std::span<const double> differences) {
  PairedTest test{.count = static_cast<int64_t>(differences.size())};
  if (differences.empty()) return test;
  test.mean = mean_of(differences);
  if (differences.size() < 2 || !all_finite(differences)) return test;
  test.interval = bootstrap_interval(differences);
  test.p = two_sided_p(differences);
  return test;
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
