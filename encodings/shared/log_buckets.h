// SPDX-License-Identifier: Apache-2.0
// encodings/shared: distances in buckets that grow with the distance.
#pragma once

#include <cstdint>
#include <vector>

namespace relbias {

/// T5's bucket of every distance 0..max_distance in one direction (Raffel et al. 2020, released
/// code): the first half of the buckets hold one distance each, above
///
///     exact + floor( log(d / exact) / log(max_distance / exact) * (buckets - exact) ),
///
/// at most buckets - 1. 8 buckets, max_distance 20: distances 0 1 2 3 4 5 6 7 -> 0 1 2 3 4 4 5 5.
std::vector<int64_t> t5_buckets(int64_t buckets, int64_t max_distance);

}  // namespace relbias
