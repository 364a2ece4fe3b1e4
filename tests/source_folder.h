// SPDX-License-Identifier: Apache-2.0
// tests: where the source is that the tests were built from.
#pragma once

#include <string>

#include "modalities/plain/rooms.h"

namespace relbias::plain {

std::string source_folder();

}  // namespace relbias::plain
