// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: how many targets lie where a clipped relation tells nothing apart.
#pragma once

#include <string>

#include "experiments/config/config.h"
#include "experiments/run/experiment.h"

namespace relbias::experiments {

/// Of tasks whose targets count steps of a relation (Question::steps), on a relation with a `clip`:
/// which share of the test targets lies past it, size by size; empty where none does.
///
///     37 % of targets to size 40 lie past the clip of hops, 14
std::string past_clip(const RunConfig& config, const Experiment& experiment);

}  // namespace relbias::experiments
