// SPDX-License-Identifier: Apache-2.0
// results/analysis: the columns of a table: the sizes, bins and conditions that runs were evaluated
// at.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "results/analysis/grouping.h"

namespace relbias::results {

struct ComparisonColumn {
  std::string heading;        // "2x", "depth 16"
  double factor = not_given;  // of the training size
  int64_t size = 0;
  std::string condition;
  double chance = not_given;
};

/// Whether two sizes, as factors of the training size, are the same: published ones are 512 and
/// 1012, not 1024.
bool is_near(double factor, double wanted);

/// The factor of a column; of a bin its upper end / the training size.
double factor_of(const ComparisonColumn& column, int64_t train_size);

/// What makes two evaluation rows one column. Factors are ratios and compared to six places.
using ColumnKey = std::tuple<bool, int64_t, std::string>;
ColumnKey column_key(double factor, int64_t size, const std::string& condition);
inline ColumnKey column_key(const EvaluationRow& row) {
  return column_key(row.factor, row.size, row.condition);
}
inline ColumnKey column_key(const ComparisonColumn& column) {
  return column_key(column.factor, column.size, column.condition);
}

/// Columns that belong side by side: `title`, the condition that they share, tells them from the
/// other sets of the group.
struct ColumnSet {
  std::string title;  // empty: the plain sizes and bins
  std::vector<ComparisonColumn> columns;
};

/// The plain sizes and bins of a group; then, for each other condition that whole sizes were
/// evaluated under (`segments=4`), its sizes. Parts of a size (positions 1-16 of it) are left out,
/// unless there is nothing else: then a set a size. Never empty: where no run got to evaluation,
/// there is the training size.
std::vector<ColumnSet> column_sets(const TaskRuns& group, const std::string& metric);

/// The column that stands for `factor` times the training size: within 5 %, or, where only bins
/// were evaluated, the smallest bin that holds that size; -1 without one.
int64_t column_at(const std::vector<ComparisonColumn>& columns, double factor, int64_t train_size);

}  // namespace relbias::results
