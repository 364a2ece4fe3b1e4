// SPDX-License-Identifier: Apache-2.0
// modalities/plain: ranges of numbers in words.
#include "modalities/plain/range_text.h"

#include <fmt/format.h>

#include <cmath>

namespace relbias::plain {

std::string range_text(double minimum, double maximum) {
  const bool low = std::isfinite(minimum), high = std::isfinite(maximum);
  if (low && high) return fmt::format("{} to {}", minimum, maximum);
  if (low) return fmt::format("at least {}", minimum);
  return high ? fmt::format("at most {}", maximum) : "";
}

}  // namespace relbias::plain
