// SPDX-License-Identifier: Apache-2.0
// modalities/plain: text that any reader of a results file can decode.
#include "modalities/plain/utf8.h"

#include <algorithm>
#include <cstdint>

namespace relbias::plain {
namespace {

bool is_continuation(char byte) { return (static_cast<uint8_t>(byte) & 0xC0U) == 0x80U; }

// Bytes of the character that `text` starts with, 0 if it starts with none (Unicode 15, table 3-7).
size_t character_length(std::string_view text) {
  const auto first = static_cast<uint8_t>(text[0]);
  if (first < 0x80) return first == 0 ? 0 : 1;
  const size_t length = first < 0xC2   ? 0
                        : first < 0xE0 ? 2
                        : first < 0xF0 ? 3
                        : first < 0xF5 ? 4
                                       : 0;
  if (length == 0 || text.size() < length) return 0;
  const auto second = static_cast<uint8_t>(text[1]);
  const uint8_t lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;   // no overlong forms
  const uint8_t highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;  // no surrogates
  if (second < lowest || second > highest) return 0;
  return std::ranges::all_of(text.substr(2, length - 2), is_continuation) ? length : 0;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const size_t length = character_length(text);
    valid += length == 0 ? "\xEF\xBF\xBD" : text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return valid;
}

size_t text_width(std::string_view text) {
  return text.size() - static_cast<size_t>(std::ranges::count_if(text, is_continuation));
}

}  // namespace relbias::plain
