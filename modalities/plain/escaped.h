// SPDX-License-Identifier: Apache-2.0
// modalities/plain: text for formats in which some characters have a meaning of their own.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "modalities/plain/rooms.h"

namespace relbias::plain {

/// The text with each character that has a rule replaced by what the rule says.
inline std::string escaped(const std::string& text,
                           const std::vector<std::pair<char, std::string>>& rules) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    const auto rule = std::ranges::find(rules, c, &std::pair<char, std::string>::first);
    if (rule == rules.end()) {
      result += c;
    } else {
      result += rule->second;
    }
  }
  return result;
}

}  // namespace relbias::plain
