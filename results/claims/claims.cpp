// SPDX-License-Identifier: Apache-2.0
// results/claims: what a study claims.
#include "results/claims/claims.h"

#include <fmt/format.h>

#include "modalities/plain/escaped.h"
#include "modalities/plain/rooms.h"

namespace relbias::results {

std::string claim_text(const Claim& claim) {
  std::string text = fmt::format("{} before {} at {:.4g}x", claim.better, claim.worse, claim.at);
  if (!claim.condition.empty()) text += ", " + claim.condition;
  if (!claim.metric.empty()) text += ", in " + claim.metric;
  return text;
}

std::string claims_as_toml(const std::vector<Claim>& claims) {
  std::string toml;
  for (const Claim& claim : claims) {
    toml += fmt::format("\n[[claim]]\nat = {:#}\n", claim.at);
    for (const auto& [key, member] : claim_texts) {
      const std::string text =
          escaped(claim.*member, {{'\\', "\\\\"}, {'"', "\\\""}, {'\n', "\\n"}});
      if (!text.empty()) toml += fmt::format("{} = \"{}\"\n", key, text);
    }
  }
  return toml;
}

}  // namespace relbias::results
