// SPDX-License-Identifier: Apache-2.0
// experiments/study: what the command line leaves of a study.
#pragma once

#include <vector>

#include "experiments/study/study.h"

namespace relbias::experiments {

struct SelectedParts {
  std::vector<Assignment> assignments;  // what some of the settings point into
  std::vector<Part> parts;              // their smoke settings are all that is pinned
};
/// Throws InputError if the selection names keys or values that are not there.
SelectedParts selected_parts(const Study& study, const Selection& selection);

}  // namespace relbias::experiments
