// SPDX-License-Identifier: Apache-2.0
// results/claims: [[claim]] tables of studies and of published tables.
#pragma once

#include <string>
#include <vector>

#include "modalities/plain/toml.h"
#include "results/claims/claims.h"

namespace relbias::results {

/// A key that a file may have, and what it means.
struct KeyMeaning {
  std::string key;
  std::string meaning;
};

/// Every key of a [[claim]].
const std::vector<KeyMeaning>& claim_keys();

/// Reads one [[claim]]. `further` keys may stand beside its own, and are not looked at. Throws
/// InputError for an unknown key, a value of another type, and what is no ordering.
Claim read_claim(const toml::table& table, const std::vector<std::string>& further = {});

/// Every [[claim]] of a study.
std::vector<Claim> read_claims(const toml::table& study);

}  // namespace relbias::results
