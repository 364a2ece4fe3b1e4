// SPDX-License-Identifier: Apache-2.0
// experiments/study: whether what a study claims is about its own runs.
#pragma once

#include <vector>

#include "experiments/study/study.h"

namespace relbias::experiments {

/// Throws InputError, naming what there is, where a claim speaks of a task, a modality, an encoding
/// or a relation that no run has, of a metric or a condition that there is not, or of a size far
/// past the evaluated ones: it would never be judged.
void check_claims(const Study& study, const std::vector<Run>& runs);

}  // namespace relbias::experiments
