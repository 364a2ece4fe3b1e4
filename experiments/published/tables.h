// SPDX-License-Identifier: Apache-2.0
// experiments/published: the published tables of this folder, by name.
#pragma once

#include <string>
#include <vector>

#include "results/claims/published.h"

namespace relbias::experiments {

std::vector<std::string> published_names();

/// Throws InputError, with the names that there are, for another name.
Published read_published(const std::string& name);

}  // namespace relbias::experiments
