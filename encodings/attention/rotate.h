// SPDX-License-Identifier: Apache-2.0
// encodings/attention: rotation of query and key channels in plain ATen.
#pragma once

#include "encodings/terms.h"

namespace relbias::encodings {

/// Rotates the first 2P channels of every head: (x, y) -> (x cos - y sin, x sin + y cos) for the
/// pairs of channels that the layout names. Channels beyond 2P stay as they are (partial rotation).
void rotate(const Rotation& rotation,
            Tensor& q,   // [B, H, Q, D]
            Tensor& k);  // [B, H, K, D]

}  // namespace relbias::encodings
