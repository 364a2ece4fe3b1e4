// SPDX-License-Identifier: Apache-2.0
// modalities/plain: ranges of numbers in words.
#pragma once

#include <string>

#include "modalities/plain/rooms.h"

namespace relbias::plain {

/// `0 to 1`, `at least 0`, `at most 1`; empty where the range has no end.
std::string range_text(double minimum, double maximum);

}  // namespace relbias::plain
