// SPDX-License-Identifier: Apache-2.0
// encodings/shared: learned tables over the offsets of every axis, and their sum.
#pragma once

#include "modalities/relation.h"

namespace relbias::encodings {

/// What a bucketed encoding tells apart: the signed offset on every axis, or, where a relation has
/// no axes, its distance as the one unsigned axis. [R, A], A >= 1.
Tensor signed_axes(const RelationMap& relation);
int64_t signed_axis_count(const RelationTraits& traits);

/// The sum over the axes a of table[:, a, rows[r, a]], folded into one table over the relation's
/// ids: a term always has one index.
Tensor sum_over_axes(const Tensor& table,  // [1|H, A, T] or [1|H, A, T, D]
                     const Tensor& rows);  // [R, A] int64
                                           // -> [1|H, R] or [1|H, R, D]

}  // namespace relbias::encodings
