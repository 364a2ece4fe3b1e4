// SPDX-License-Identifier: Apache-2.0
// experiments/study: which encoding means something on which relation, and why not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "encodings/encoding.h"

namespace relbias::experiments {

/// One encoding on one relation, both with their default options.
struct Pairing {
  std::string relation;
  std::string encoding;
  std::optional<std::string> causal_reason;  // why undefined in a causal model; nothing: defined
  std::optional<std::string> full_reason;    // why undefined where every token sees every other
};

/// Every relation with every encoding.
std::vector<Pairing> pairings();

/// A table with a cell for every pair: `yes`, `causal` or `full` where only such models can use it,
/// or the number of the reason, listed below.
std::string matrix_text();
std::string matrix_json();

}  // namespace relbias::experiments
