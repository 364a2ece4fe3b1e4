// SPDX-License-Identifier: Apache-2.0
// tests: whether the numbers of a published table support what it claims.
#pragma once

#include "results/analysis/columns.h"
#include "results/claims/naming.h"
#include "results/claims/published.h"

namespace relbias::results {

/// In every group and setting that the claim speaks of. Sizes are nominal: all within 5 %.
inline bool supports(const Published& table, const PublishedClaim& claim) {
  size_t compared = 0;
  for (const PublishedRow& left : table.rows) {
    for (const PublishedRow& right : table.rows) {
      const bool asked = (claim.group.empty() || claim.group == left.group) &&
                         (claim.setting.empty() || claim.setting == left.setting);
      const bool alike = left.group == right.group && left.setting == right.setting &&
                         left.train_size == right.train_size && left.size == right.size;
      const bool meant = is_named(left.encoding, claim.claim.better) &&
                         is_named(right.encoding, claim.claim.worse);
      if (!asked || !alike || !meant || left.encoding == right.encoding) continue;
      const double factor = static_cast<double>(left.size) / static_cast<double>(left.train_size);
      if (!is_near(factor, claim.claim.at) || !left.defined || !right.defined) continue;
      ++compared;
      const bool better =
          table.better == "lower" ? left.value < right.value : left.value > right.value;
      if (!better) return false;
    }
  }
  return compared > 0;
}

}  // namespace relbias::results
