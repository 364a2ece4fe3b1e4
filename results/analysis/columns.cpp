// SPDX-License-Identifier: Apache-2.0
// results/analysis: the columns of a table.
#include "results/analysis/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace relbias::results {
namespace {

constexpr double nearness = 0.05;

std::string size_of(const ComparisonColumn& column) {
  return std::isfinite(column.factor) ? fmt::format("{:.4g}x", column.factor)
                                      : fmt::format("{}", column.size);
}

// `segments=4, <=200` is the bin <=200 of the variant segments=4; `position 1-16` is some positions
// of a size, no size of its own.
struct Condition {
  std::string variant, bin;

  bool is_part() const { return bin.starts_with("position "); }
};

Condition parts_of(const ComparisonColumn& column) {
  const std::string& text = column.condition;
  const size_t comma = text.rfind(", ");
  const size_t last = comma == std::string::npos ? 0 : comma + 2;
  Condition condition{text, text.substr(last)};
  if (std::isfinite(column.factor) && !condition.is_part()) return {text, ""};
  condition.variant = text.substr(0, comma == std::string::npos ? 0 : comma);
  return condition;
}

// A bin alone names its column, unless another size has the same.
void set_headings(std::vector<ComparisonColumn>& columns) {
  std::map<std::string, size_t> sizes;
  for (const ComparisonColumn& column : columns) ++sizes[parts_of(column).bin];
  for (ComparisonColumn& column : columns) {
    const std::string bin = parts_of(column).bin;
    column.heading = bin.empty()      ? size_of(column)
                     : sizes[bin] > 1 ? size_of(column) + " " + bin
                                      : bin;
  }
}

// By size, then bins; those of one size in the order of the evaluation.
std::vector<ComparisonColumn> all_columns(const TaskRuns& group, const std::string& metric) {
  std::vector<ComparisonColumn> columns;
  std::set<ColumnKey> seen;
  for (const Repetitions& row : group.rows) {
    for (const RunRecord* run : row.runs) {
      for (const EvaluationRow& place : run->evaluation) {
        if (place.metric != metric || !seen.insert(column_key(place)).second) continue;
        columns.push_back({"", place.factor, place.size, place.condition, place.chance});
      }
    }
  }
  std::ranges::stable_sort(columns, {}, [](const ComparisonColumn& column) {
    const ColumnKey key = column_key(column);
    return std::pair(std::get<0>(key), std::get<1>(key));
  });
  return columns;
}

}  // namespace

ColumnKey column_key(double factor, int64_t size, const std::string& condition) {
  const bool has_factor = std::isfinite(factor);
  return {!has_factor, has_factor ? std::llround(factor * 1e6) : size, condition};
}

bool is_near(double factor, double wanted) {
  return std::abs(std::log(factor / wanted)) <= std::log1p(nearness);
}

double factor_of(const ComparisonColumn& column, int64_t train_size) {
  return std::isfinite(column.factor)
             ? column.factor
             : static_cast<double>(column.size) / static_cast<double>(train_size);
}

std::vector<ColumnSet> column_sets(const TaskRuns& group, const std::string& metric) {
  std::map<std::string, std::vector<ComparisonColumn>> variants;
  std::map<ColumnKey, std::vector<ComparisonColumn>> parts;
  for (const ComparisonColumn& column : all_columns(group, metric)) {
    const Condition condition = parts_of(column);
    if (!condition.is_part()) {
      variants[condition.variant].push_back(column);
    } else if (condition.variant.empty()) {
      parts[column_key(column.factor, column.size, "")].push_back(column);
    }
  }
  if (variants.empty() && parts.empty())
    variants[""] = {{"", 1, group.example().train_size, "", not_given}};
  std::vector<ColumnSet> sets;
  for (auto& [variant, columns] : variants) sets.push_back({variant, std::move(columns)});
  for (auto& [key, columns] : parts) {
    if (!variants.empty()) break;
    const std::string size = size_of(columns.front());
    sets.push_back({"at " + size, std::move(columns)});
  }
  for (ColumnSet& set : sets) set_headings(set.columns);
  return sets;
}

int64_t column_at(const std::vector<ComparisonColumn>& columns, double factor, int64_t train_size) {
  int64_t nearest = -1;
  double least = std::log1p(nearness);
  for (size_t i = 0; i < columns.size(); ++i) {
    const double distance = std::abs(std::log(columns[i].factor / factor));
    if (!(distance <= least)) continue;
    least = distance;
    nearest = static_cast<int64_t>(i);
  }
  if (nearest >= 0 || train_size <= 0) return nearest;
  const double wanted = factor * static_cast<double>(train_size) * (1 - nearness);
  for (size_t i = 0; i < columns.size(); ++i) {  // sorted by size
    const bool is_bin = !std::isfinite(columns[i].factor);
    if (is_bin && static_cast<double>(columns[i].size) >= wanted) return static_cast<int64_t>(i);
  }
  return -1;
}

}  // namespace relbias::results
