// SPDX-License-Identifier: Apache-2.0
// modalities/sampling: dividing data into training, validation and test by what it is.
#include "modalities/sampling/division.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "modalities/plain/files.h"

namespace relbias::modalities {
namespace {

// By key, in the order of their places.
using Places = std::map<std::pair<double, std::string>, Split>;

size_t count(const Places& places, Split split) {
  return static_cast<size_t>(
      std::ranges::count_if(places, [&](const auto& place) { return place.second == split; }));
}

// Gives the empty split the key of the fullest one that lies nearest to it; false: none is to
// spare.
bool filled(Places& places, Split empty) {
  const Split fullest =
      std::ranges::max(all_splits, {}, [&](Split split) { return count(places, split); });
  if (empty != Split::train && count(places, fullest) < 2) return false;  // one key trains
  // Held-out splits lie below, training above.
  const auto give = [&](auto first, auto last) {
    const auto found =
        std::find_if(first, last, [&](const auto& place) { return place.second == fullest; });
    found->second = empty;
  };
  if (empty == Split::train) {
    give(places.rbegin(), places.rend());
  } else {
    give(places.begin(), places.end());
  }
  return true;
}

}  // namespace

double place_of_key(std::string_view key) {
  constexpr size_t digits = 13;  // 52 bits, which a double holds
  const std::string hash = content_hash({{"", std::string(key)}});
  return std::ldexp(static_cast<double>(std::stoull(hash.substr(0, digits), nullptr, 16)),
                    -4 * static_cast<int>(digits));
}

Split split_of_key(std::string_view key, const Shares& shares) {
  const double place = place_of_key(key);
  if (place < shares.test) return Split::test;
  return place < shares.test + shares.validation ? Split::validation : Split::train;
}

Division divided(const std::vector<std::string>& keys, const Shares& shares, std::string_view by) {
  Places places;
  std::vector<Places::iterator> of_item;
  std::map<std::string_view, Places::iterator> known;
  for (const std::string& key : keys) {
    auto [found, is_new] = known.try_emplace(key);
    if (is_new) {
      found->second =
          places.emplace(std::pair(place_of_key(key), key), split_of_key(key, shares)).first;
    }
    of_item.push_back(found->second);
  }
  int64_t moved = 0;
  for (const Split split : {Split::train, Split::test, Split::validation}) {
    const bool wanted =
        split == Split::train || (split == Split::test ? shares.test : shares.validation) > 0;
    if (wanted && !keys.empty() && count(places, split) == 0) moved += filled(places, split);
  }
  Division division;
  for (const auto& place : of_item) division.splits.push_back(place->second);
  const auto percent = [](double share) { return std::lround(100 * share); };
  division.text =
      fmt::format("divided by {}, {} {} {} %", by, percent(1 - shares.validation - shares.test),
                  percent(shares.validation), percent(shares.test));
  if (moved > 0) division.text += fmt::format(" ({} moved into an empty split)", moved);
  return division;
}

}  // namespace relbias::modalities
