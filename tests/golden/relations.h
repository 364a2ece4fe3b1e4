// SPDX-License-Identifier: Apache-2.0
// tests/golden: relations as the packages have them, where ours align tokens in another way.
#pragma once

#include <cstdint>

#include "modalities/relation.h"
#include "tests/golden/golden.h"

namespace relbias::golden {

/// `token` with query i at position i + past: past = K - Q is ours, cross attention has 0.
RelationMap line(int64_t queries, int64_t keys, int64_t past);
inline RelationMap line(int64_t tokens) { return line(tokens, tokens, 0); }

/// Tokens at given positions among `length` of them, for what reads coordinates only.
RelationMap at_positions(const Tensor& positions,  // [B|1, N] or [B|1, N, A]
                         int64_t length);

/// A row of its own for every pair: what pairs offer is given pair by pair.
RelationMap pairs(const Tensor& offsets);  // [B, Q, K, A]

/// Places of a grid in raster order, [height * width, 2]: (y, x), so many apart.
Tensor raster(int64_t height, int64_t width, int64_t apart_y = 1, int64_t apart_x = 1);

/// Queries and keys at places (y, x). Ids in the order of the published tables: raster of query -
/// key, then class token to patch, patch to class token, class token to itself.
///
/// 1x2: rows 1 0 / 2 1 of 3 with offsets (key - query) 1 0 -1.
RelationMap grid(const Tensor& query_places,  // [Q, 2] int64
                 const Tensor& key_places);   // [K, 2] int64
RelationMap grid(int64_t height, int64_t width);
RelationMap with_class_token(const RelationMap& grid);

}  // namespace relbias::golden
