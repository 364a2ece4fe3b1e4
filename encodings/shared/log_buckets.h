// SPDX-License-Identifier: Apache-2.0
// encodings/shared: distances in buckets that grow with the distance.
#pragma once

#include <cstdint>
#include <vector>

#include "modalities/plain/rooms.h"

namespace relbias::encodings {

/// T5's bucket of every distance 0..max_distance in one direction (Raffel et al. 2020, released
/// code): the first half of the buckets hold one distance each, above
///
///     exact + floor( log(d / exact) / log(max_distance / exact) * (buckets - exact) ),
///
/// at most buckets - 1. 8 buckets, max_distance 20: distances 0 1 2 3 4 5 6 7 -> 0 1 2 3 4 4 5 5.
std::vector<int64_t> t5_buckets(int64_t buckets, int64_t max_distance);

/// DeBERTa's bucket of every distance 0..max_distance (He et al. 2021, released code of version
/// 2): up to mid = buckets / 2 the distance itself, above
///
///     mid + ceil( log(d / mid) / log((max_distance - 1) / mid) * (mid - 1) ).
///
/// 8 buckets, max_distance 16: distances 4 5 6 7 9 10 15 -> 4 5 5 6 6 7 7, and
/// 8 for 16. In the released code the buckets run on beyond that and the row is clamped, which the
/// last one here already reaches.
std::vector<int64_t> deberta_buckets(int64_t buckets, int64_t max_distance);

}  // namespace relbias::encodings
