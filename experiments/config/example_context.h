// SPDX-License-Identifier: Apache-2.0
// experiments/config: what encodings are on the small examples of relations.
#pragma once

#include "encodings/encoding.h"

namespace relbias::experiments {

/// What an encoding is built for on a relation's own example.
EncodingContext example_context(const RelationEntry& relation, bool causal);

/// Whether an encoding with these options learns something on a relation: the slopes of alibi are
/// no parameters unless it has a factor on them.
bool has_parameters(const Options& encoding, const Options& relation);

}  // namespace relbias::experiments
