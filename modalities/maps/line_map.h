// SPDX-License-Identifier: Apache-2.0
// modalities/maps: the relation of places on a line, of tokens of a text as of frames of a sound.
#pragma once

#include "modalities/relation.h"

namespace relbias::modalities {

/// r(i,j) = j - i, the last query at the last key: query i of Q stands at place K - Q + i. Rows are
/// the offsets from -(K - 1), whole numbers that float32 holds exactly below 2^24.
///
/// Q = K = 3: 5 rows with offsets -2 -1 0 1 2, keys at 0 1 2. Q = 1: 3 rows, the query at 2.
RelationMap line_map(int64_t queries, int64_t keys);

/// The key of the map of a line (Relation::map_key), with what else a relation reads.
std::vector<int64_t> line_key(const Structure& sample);

}  // namespace relbias::modalities
