// SPDX-License-Identifier: Apache-2.0
// encodings: initial weights from named random streams.
#include "encodings/initialiser.h"

#include <ATen/ATen.h>

#include "modalities/seed.h"

namespace relbias {

Initialiser Initialiser::in(std::string_view name) const {
  return Initialiser(seed_, path_ + std::string(name) + ".");
}

at::Tensor Initialiser::normal(std::string_view name, at::IntArrayRef shape,
                               double deviation) const {
  at::Generator generator = stream(seed_, "initial " + path_ + std::string(name));
  return at::empty(shape, at::kFloat).normal_(0.0, deviation, generator);
}

at::Tensor Initialiser::uniform(std::string_view name, at::IntArrayRef shape, double low,
                                double high) const {
  at::Generator generator = stream(seed_, "initial " + path_ + std::string(name));
  return at::empty(shape, at::kFloat).uniform_(low, high, generator);
}

}  // namespace relbias
