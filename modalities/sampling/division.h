// SPDX-License-Identifier: Apache-2.0
// modalities/sampling: dividing data into training, validation and test by what it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "modalities/sampling/split.h"

namespace relbias::modalities {

/// What the held-out splits get of the items, in the long run; the rest trains.
struct Shares {
  double validation = 0.1, test = 0.1;
};

/// Where a hash of `key` lies in [0, 1): its first 13 hexadecimal digits of SHA-1, as a fraction.
double place_of_key(std::string_view key);

/// The split of an item by its key alone: test below `test`, validation below `test + validation`,
/// train above. The key is what the item comes from (a work, a speaker, a prompt, a font family) or
/// else its content, never its number in a list: one more item moves no other, and copies stay
/// together.
Split split_of_key(std::string_view key, const Shares& shares);

/// The splits of items by their keys, and a few words for a report.
struct Division {
  std::vector<Split> splits;  // one a key
  std::string text;           // `divided by content, 80 10 10 %`
};

/// split_of_key() of every item. Too few keys can leave a split without any: it takes the training
/// keys nearest to it, which the text says. With fewer than three keys a split stays empty.
/// `by`: what the keys are, for the text.
Division divided(const std::vector<std::string>& keys, const Shares& shares, std::string_view by);

}  // namespace relbias::modalities
