// SPDX-License-Identifier: Apache-2.0
// results/metrics: metrics by name, and what they have in common.
#include "results/metrics/metric.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "modalities/plain/check.h"

namespace relbias::results {
namespace {

double total(const std::vector<double>& column) {
  return std::accumulate(column.begin(), column.end(), 0.0);
}

std::vector<double> totals_of(const Columns& columns) {
  std::vector<double> totals;
  for (const std::vector<double>& column : columns) totals.push_back(total(column));
  return totals;
}

}  // namespace

MetricEntry ratio_metric(MetricEntry entry) {
  entry.is_ratio = true;
  entry.value = [](const Columns& columns) { return total(columns[0]) / total(columns[1]); };
  entry.influence = [](const Columns& columns) {
    const double count = total(columns[1]), value = total(columns[0]) / count;
    std::vector<double> influence = columns[0];
    for (size_t t = 0; t < influence.size(); ++t) {
      influence[t] -= value * columns[1][t];
      influence[t] *= static_cast<double>(influence.size()) / count;
    }
    return influence;
  };
  return entry;
}

MetricEntry metric_of_totals(MetricEntry entry,
                             const std::function<double(std::span<const double>)>& value) {
  entry.is_ratio = false;
  entry.value = [value](const Columns& columns) { return value(totals_of(columns)); };
  entry.influence = [value](const Columns& columns) {
    const std::vector<double> totals = totals_of(columns);
    std::vector<double> left_out, rest(totals.size());
    for (size_t t = 0; t < columns.front().size(); ++t) {
      for (size_t c = 0; c < rest.size(); ++c) rest[c] = totals[c] - columns[c][t];
      left_out.push_back(value(rest));
    }
    return jackknife(std::move(left_out));
  };
  return entry;
}

std::vector<double> jackknife(std::vector<double> left_out) {
  const auto count = static_cast<double>(left_out.size());
  const double mean = total(left_out) / count;
  for (double& value : left_out) value = (count - 1) * (mean - value);
  return left_out;
}

double standard_error(std::span<const double> influence) {
  const auto count = static_cast<double>(influence.size());
  if (influence.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  double squares = 0;
  for (const double value : influence) squares += value * value;
  return std::sqrt(squares / (count * (count - 1)));
}

std::vector<std::string> column_names(const MetricEntry& entry, int64_t categories) {
  if (!entry.by_category) return entry.columns;
  std::vector<std::string> names;
  for (int64_t category = 0; category < categories; ++category) {
    for (const std::string& column : entry.columns) {
      names.push_back(column + " of " + std::to_string(category));
    }
  }
  return names;
}

MetricName read_metric(std::string_view text) {
  std::string words(text);
  std::ranges::replace(words, ' ', '-');
  MetricName found;
  std::vector<std::string> names;
  for (const MetricEntry& entry : metric_entries()) {
    names.push_back(entry.name);
    if (!words.ends_with(entry.name)) continue;
    const size_t before = words.size() - entry.name.size();
    if (before > 0 && text[before - 1] != ' ') continue;
    if (found.entry != nullptr && found.entry->name.size() > entry.name.size()) continue;
    found = {std::string(text.substr(0, before == 0 ? 0 : before - 1)), &entry};
  }
  if (found.entry == nullptr) plain::unknown_word("metric", text, names);
  return found;
}

std::string better(std::string_view metric) {
  return read_metric(metric).entry->higher_is_better ? "higher" : "lower";
}

}  // namespace relbias::results
