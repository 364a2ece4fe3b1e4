// SPDX-License-Identifier: Apache-2.0
// modalities/maps: the relation of cells on a grid, of patches of a picture as of a spectrogram.
#pragma once

#include "modalities/relation.h"

namespace relbias::modalities {

/// The ids that a class token before the cells adds, in their order behind the others.
inline const std::vector<std::string> class_token_ids = {
    "class token to patch", "patch to class token", "class token to itself"};

/// r(i,j) = (dy, dx) = place of key j - place of query i, `sides` = {H, W} cells in raster order,
/// the last query at the last key. Ids have the order of the published tables (Swin, BEiT), which
/// count query - key: id = (H - 1 - dy)(2W - 1) + (W - 1 - dx), of R = (2H - 1)(2W - 1). The
/// distance is Euclidean.
///
/// 2x2: 4 3 1 0   2x3: 7 6 5 2 1 0    1x2: 1 0   row 4 of 2x2 is (0, 0), row 3 (0, 1): the key to
///      5 4 2 1        8 7 6 3 2 1         2 1   the right, row 1 (1, 0): the key below.
///      7 6 4 3        ...
///      8 7 5 4       14 13 12 9 8 7
///
/// With `class_token` a token of no place stands before the cells and has three ids: R + 0 from it
/// to a cell, R + 1 from a cell to it, R + 2 to itself. 2x2 with one, 12 rows:
///
///     11  9  9  9  9
///     10  4  3  1  0
///     10  5  4  2  1
///     10  7  6  4  3
///     10  8  7  5  4
///
/// Any number of sides goes the same way, the last running fastest: {2, 1, 2} has 9 rows and the
/// ids of 2x2.
RelationMap grid_map(const std::vector<int64_t>& sides, bool class_token, int64_t queries);

/// The key of that map for a sample of these sides (Relation::map_key).
std::vector<int64_t> grid_key(const std::vector<int64_t>& sides, const Structure& sample);

}  // namespace relbias::modalities
