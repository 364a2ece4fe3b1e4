// SPDX-License-Identifier: Apache-2.0
// encodings/shared: distances in buckets that grow with the distance.
#include "encodings/shared/log_buckets.h"

#include <algorithm>
#include <cmath>

namespace relbias::encodings {

std::vector<int64_t> t5_buckets(int64_t buckets, int64_t max_distance) {
  const int64_t exact = buckets / 2, rest = buckets - exact;
  std::vector<int64_t> bucket_of(static_cast<size_t>(max_distance) + 1);
  const double last = std::log(static_cast<double>(max_distance) / static_cast<double>(exact));
  for (int64_t distance = 0; distance <= max_distance; ++distance) {
    int64_t bucket = distance;
    if (distance >= exact) {
      const double ratio =
          std::log(static_cast<double>(distance) / static_cast<double>(exact)) / last;
      // Where the ratio is a whole number in exact arithmetic (20 buckets, max_distance 160, at 10,
      // 20, 80), double arithmetic ends a hair below it and floor would lose a bucket.
      const double steps = std::floor(ratio * static_cast<double>(rest) + 1e-9);
      bucket = std::min(exact + static_cast<int64_t>(steps), buckets - 1);
    }
    bucket_of[static_cast<size_t>(distance)] = bucket;
  }
  return bucket_of;
}

std::vector<int64_t> deberta_buckets(int64_t buckets, int64_t max_distance) {
  const int64_t mid = buckets / 2;
  std::vector<int64_t> bucket_of(static_cast<size_t>(max_distance) + 1);
  const double last = std::log(static_cast<double>(max_distance - 1) / static_cast<double>(mid));
  for (int64_t distance = 0; distance <= max_distance; ++distance) {
    int64_t bucket = distance;
    if (distance > mid) {
      const double ratio =
          std::log(static_cast<double>(distance) / static_cast<double>(mid)) / last;
      // As above, from the other side: 128 buckets, max_distance 513, at 128 and 256.
      const double steps = std::ceil(ratio * static_cast<double>(mid - 1) - 1e-9);
      bucket = mid + static_cast<int64_t>(steps);
    }
    bucket_of[static_cast<size_t>(distance)] = bucket;
  }
  return bucket_of;
}

}  // namespace relbias::encodings
