// SPDX-License-Identifier: Apache-2.0
// modalities/plain: text that any reader of a results file can decode.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "modalities/plain/rooms.h"

namespace relbias::plain {

/// The text with U+FFFD for each byte that is not part of valid UTF-8 and for each NUL.
std::string valid_utf8(std::string_view text);

/// Code points in a valid UTF-8 text: its width in a terminal, as long as it holds no wide
/// characters.
size_t text_width(std::string_view text);

}  // namespace relbias::plain
