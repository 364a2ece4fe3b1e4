// SPDX-License-Identifier: Apache-2.0
// results/claims: what a study claims.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relbias::results {

/// An ordering that a study expects: at `at` times the trained size, `better` beats `worse`.
struct Claim {
  std::string better;  // an encoding, or its name and the options that matter: `rope base=100`
  std::string worse;
  double at = 1.0;
  std::string metric;     // empty: the task's first
  std::string task;       // empty: every one of the study that has both encodings; likewise
  std::string modality;   //   the following
  std::string relation;   // of both
  std::string condition;  // `segments=4`; empty: the plain sizes
  std::string why;
};

/// The keys of a [[claim]] that hold text; `at` holds a number.
inline constexpr std::array<std::pair<std::string_view, std::string Claim::*>, 8> claim_texts = {{
    {"better", &Claim::better},
    {"worse", &Claim::worse},
    {"metric", &Claim::metric},
    {"task", &Claim::task},
    {"modality", &Claim::modality},
    {"relation", &Claim::relation},
    {"condition", &Claim::condition},
    {"why", &Claim::why},
}};

/// "alibi before rope at 8x"
std::string claim_text(const Claim& claim);

/// Claims as a study states them, [[claim]] tables in TOML.
std::string claims_as_toml(const std::vector<Claim>& claims);

}  // namespace relbias::results
