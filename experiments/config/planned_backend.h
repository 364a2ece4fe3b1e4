// SPDX-License-Identifier: Apache-2.0
// experiments/config: which attention a model gets where none is asked for by name.
#pragma once

#include <string>

#include "experiments/model/model.h"

namespace relbias::experiments {

/// What `model.backend` comes to, `reference` or `fused`: as asked, and for `auto` by the terms of
/// the encodings alone, so that it is the same on every machine (it is a part of a run's id):
///
///     dropout > 0                                     reference
///     a dense term (cope, fire, linear, cpb on features), a query table of one row an offset
///                                                     reference
///     everything else                                 fused
///
/// No size is too small for fused: with 64 keys it takes .6 to 1.07 of the reference's time, with
/// 128 .7 to .93, with 1024 .2 to .4 (tests/benchmarks/attention.cpp, AVX2, forward and backward).
std::string planned_backend(const ModelConfig& config);

}  // namespace relbias::experiments
