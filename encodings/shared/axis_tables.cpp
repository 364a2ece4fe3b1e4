// SPDX-License-Identifier: Apache-2.0
// encodings/shared: learned tables over the offsets of every axis, and their sum.
#include "encodings/shared/axis_tables.h"

#include <ATen/ATen.h>

namespace relbias::encodings {

Tensor signed_axes(const RelationMap& relation) {
  return relation.offsets.defined() ? relation.offsets : relation.distance.unsqueeze(1);
}

int64_t signed_axis_count(const RelationTraits& traits) {
  return std::max<int64_t>(traits.axes, 1);
}

Tensor sum_over_axes(const Tensor& table, const Tensor& rows) {
  Tensor sum = table.select(1, 0).index_select(1, rows.select(1, 0));
  for (int64_t axis = 1; axis < rows.size(1); ++axis) {
    sum = sum + table.select(1, axis).index_select(1, rows.select(1, axis));
  }
  return sum;
}

}  // namespace relbias::encodings
