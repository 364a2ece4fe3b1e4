// SPDX-License-Identifier: Apache-2.0
// modalities/plain: the nearest valid word to a misspelt one, and the error that offers it.
#include "modalities/plain/check.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace relbias::plain {
namespace {

std::string lower(std::string_view word) {
  std::string text(word);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& valid) {
  std::string best;
  size_t best_distance = std::max<size_t>(2, word.size() / 2) + 1;
  for (const auto& candidate : valid) {
    const size_t distance = edit_distance(lower(word), lower(candidate));
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

void unknown_word(std::string_view kind, std::string_view word,
                  const std::vector<std::string>& valid) {
  const std::string suggestion = nearest(word, valid);
  const std::string question =
      suggestion.empty() ? "" : fmt::format(" did you mean '{}'?", suggestion);
  if (valid.empty()) input_error("unknown {} '{}': there is none to choose from", kind, word);
  input_error("unknown {} '{}':{} valid: {}", kind, word, question, fmt::join(valid, ", "));
}

}  // namespace relbias::plain
