// SPDX-License-Identifier: Apache-2.0
// experiments/model: the factor of attention's scores as a setting writes it.
#pragma once

#include <optional>
#include <string>

namespace relbias::experiments {

/// `rsqrt`: nothing, which attention takes for 1/sqrt(D); `none`: 1; else a number above 0. Throws
/// InputError for anything else.
std::optional<double> scale_in(const std::string& word);

}  // namespace relbias::experiments
