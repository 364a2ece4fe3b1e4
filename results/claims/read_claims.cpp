// SPDX-License-Identifier: Apache-2.0
// results/claims: [[claim]] tables, read strictly.
#include "results/claims/read_claims.h"

#include <algorithm>

namespace relbias::results {

const std::vector<KeyMeaning>& claim_keys() {
  static const std::vector<KeyMeaning> keys{
      {"better",
       "the encoding that is ahead: its name, with the options that matter; table@tree: "
       "on that relation"},
      {"worse", "the encoding that is behind, likewise"},
      {"at", "size of evaluation / size of training; 1 if left out"},
      {"metric", "the metric; left out: the task's first"},
      {"task", "the task, with or without options; left out: every one that has both encodings"},
      {"modality", "the modality; left out: every one"},
      {"relation", "the relation of both; left out: every one"},
      {"condition", "a variant of the task, `segments=4`; left out: the plain sizes"},
      {"why", "where the expectation comes from"},
  };
  return keys;
}

Claim read_claim(const toml::table& table, const std::vector<std::string>& further) {
  Claim claim;
  std::vector<std::string> known = further;
  for (const KeyMeaning& one : claim_keys()) known.push_back(one.key);
  for (const auto& [name, value] : table) {
    const std::string key(name.str());
    const auto text = std::ranges::find(claim_texts, key,
                                        [](const auto& pair) { return std::string(pair.first); });
    if (text != claim_texts.end()) {
      claim.*(text->second) = text_value("claim." + key, value);
    } else if (key == "at") {
      claim.at = value.is_number() ? value.value<double>().value() : 0;
      if (!(claim.at > 0)) wrong_value("claim.at", value, "a multiple of the trained size");
    } else if (std::ranges::find(further, key) == further.end()) {
      at_place("", &value, [&]() { unknown_word("key of a claim", key, known); });
    }
  }
  if (claim.better.empty() || claim.worse.empty()) {
    input_error("{}: claim: better and worse expected, two encodings", place_of(table));
  }
  if (claim.better == claim.worse) {
    input_error("{}: claim: better and worse are both '{}', two encodings that differ expected",
                place_of(table), claim.better);
  }
  return claim;
}

std::vector<Claim> read_claims(const toml::table& study) {
  std::vector<Claim> claims;
  each_table(study, "claim",
             [&](const toml::table& claim) { claims.push_back(read_claim(claim)); });
  return claims;
}

}  // namespace relbias::results
