// SPDX-License-Identifier: Apache-2.0
// encodings/shared: angles and sinusoids of positions.
#pragma once

#include <ATen/core/Tensor.h>

namespace relbias::encodings {

using at::Tensor;

/// base^(-2c/width) for c = 0..width/2-1, float64: the frequencies of sinusoids and rotations.
Tensor inverse_frequencies(int64_t width, double base, c10::Device device);

/// [.., width]: sin and cos of position * frequency, interleaved (sin first), float32 from float64
/// angles: in float32 the angle at position 1e6 is off by 0.016.
Tensor sinusoids(const Tensor& positions,  // [..]
                 int64_t width, double base);

}  // namespace relbias::encodings
