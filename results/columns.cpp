// SPDX-License-Identifier: Apache-2.0
// results: the columns of a table.
#include "results/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace relbias {
namespace {

constexpr double nearness = 0.05;  // published sizes are 512 and 1012, not 1024

std::string size_of(const ComparisonColumn& column) {
  return std::isfinite(column.factor) ? fmt::format("{:.4g}x", column.factor)
                                      : fmt::format("{}", column.size);
}

// A condition alone names its column, unless another size has the same.
void set_headings(std::vector<ComparisonColumn>& columns) {
  std::map<std::string, size_t> sizes;
  for (const ComparisonColumn& column : columns) ++sizes[column.condition];
  for (ComparisonColumn& column : columns) {
    column.heading = column.condition.empty()      ? size_of(column)
                     : sizes[column.condition] > 1 ? size_of(column) + " " + column.condition
                                                   : column.condition;
  }
}

bool is_whole(const ComparisonColumn& column) {
  return column.condition.empty() || !std::isfinite(column.factor);
}

// Some positions of a size, not a size or a bin of its own.
bool is_part(const ComparisonColumn& column) {
  return !is_whole(column) && column.condition.starts_with("position ");
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

std::vector<ColumnSet> column_sets(const TaskRuns& group, const std::string& metric) {
  const std::vector<ComparisonColumn> columns = all_columns(group, metric);
  std::vector<ColumnSet> sets(1);
  std::map<std::string, std::vector<ComparisonColumn>> by_condition;
  std::map<double, std::vector<ComparisonColumn>> parts;
  for (const ComparisonColumn& column : columns) {
    if (is_part(column)) {
      parts[column.factor].push_back(column);
    } else if (is_whole(column)) {
      sets.front().columns.push_back(column);
    } else {
      by_condition[column.condition].push_back(column);
    }
  }
  for (auto& [condition, members] : by_condition) {
    for (ComparisonColumn& column : members) column.heading = size_of(column);
    sets.push_back({condition, std::move(members)});
  }
  if (sets.front().columns.empty() && sets.size() > 1) sets.erase(sets.begin());
  if (columns.empty()) sets.front().columns = {{"", 1, group.example().train_size, "", not_given}};
  if (sets.front().columns.empty()) {
    sets.clear();
    for (auto& [factor, members] : parts) {
      sets.push_back({fmt::format("at {:.4g}x", factor), std::move(members)});
    }
  }
  for (ColumnSet& set : sets) {
    if (set.columns.front().heading.empty()) set_headings(set.columns);
  }
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

}  // namespace relbias
