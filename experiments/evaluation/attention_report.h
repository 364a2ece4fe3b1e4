// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: what attention did at every evaluated size, as the results keep it.
#pragma once

#include <vector>

#include "experiments/config/config.h"
#include "experiments/run/experiment.h"
#include "results/record.h"

namespace relbias::experiments {

/// Watches a few samples at every size where the model has a meaning (one at a time, so that no
/// more than one sample's weights are held) and where its matrix of all pairs is not too large to
/// be looked at (AttentionMonitor::most_bytes). The monitors, by size, layer and head:
///
///     size             [S] tokens
///     entropy          [S, layers, H] of a row of attention, nats, mean
///     share            [S, layers, H, bins] of all attention, by distance
///     distance         [bins] the smallest distance of each bin; the last bin, -1: pairs without
///     one term_minimum, term_maximum, term_norm   of the position term over the allowed pairs; the
///     norm
///                      is the root of the mean square
std::vector<Monitor> watch_attention(const RunConfig& config, const Experiment& experiment);

}  // namespace relbias::experiments
