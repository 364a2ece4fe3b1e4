// SPDX-License-Identifier: Apache-2.0
// encodings/shared: angles and sinusoids of positions.
#include "encodings/shared/sinusoids.h"

#include <ATen/ATen.h>

namespace relbias::encodings {

Tensor inverse_frequencies(int64_t width, double base, c10::Device device) {
  const auto options = at::TensorOptions(at::kDouble).device(device);
  return at::pow(base, at::arange(0, width, 2, options) / static_cast<double>(-width));
}

Tensor sinusoids(const Tensor& positions, int64_t width, double base) {
  const Tensor angles = positions.to(at::kDouble).unsqueeze(-1) *
                        inverse_frequencies(width, base, positions.device());
  return at::stack({angles.sin(), angles.cos()}, -1).flatten(-2).to(at::kFloat);
}

}  // namespace relbias::encodings
