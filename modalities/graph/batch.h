// SPDX-License-Identifier: Apache-2.0
// modalities/graph: graphs of different sizes in one batch.
#pragma once

#include <vector>

#include "modalities/modality.h"

namespace relbias::modalities {

/// Tensors [n, ...] of different n as one, [B, N, ...], N the largest n, zeros behind the others.
Tensor padded_rows(const std::vector<Tensor>& samples);

/// Which tokens of padded_rows are no padding, [B, N] bool; undefined where all graphs are equally
/// large.
Tensor valid_rows(const std::vector<Structure>& samples);

}  // namespace relbias::modalities
