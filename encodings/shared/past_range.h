// SPDX-License-Identifier: Apache-2.0
// encodings: positions past the trained size, brought into its range.
#pragma once

#include "encodings/encoding.h"

namespace relbias::encodings {

/// Whether some axis of the relation is longer than the trained one.
bool is_past_range(const RelationMap& relation, const RelationMap& trained);

/// The relation as an encoding with this behaviour sees it: offsets, distances and coordinates of
/// relations past the trained size are cut off (clamp) or shrunk (interpolate); otherwise as it is.
///
/// Line, trained 3 tokens, 5 found: offsets 0 1 2 3 4 -> clamp 0 1 2 2 2, interpolate 0 .5 1 1.5 2.
RelationMap in_range(const RelationMap& relation, const RelationMap& trained, PastRange range);

/// Where a step of axis 0 lasts longer or shorter than in training (audio at another hop),
/// positions count in trained steps, so that an encoding goes on working in the seconds it was
/// trained in.
RelationMap in_trained_steps(const RelationMap& relation, const RelationMap& trained);

}  // namespace relbias::encodings
