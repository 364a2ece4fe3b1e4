// SPDX-License-Identifier: Apache-2.0
// encodings: initial weights from named random streams.
#include "encodings/initialiser.h"

#include <ATen/ATen.h>

#include "modalities/seed.h"

namespace relbias::encodings {

Initialiser Initialiser::in(std::string_view name) const {
  Initialiser inner(seed_, device_);
  inner.path_ = path_ + std::string(name) + ".";
  return inner;
}

at::Tensor Initialiser::normal(std::string_view name, at::IntArrayRef shape,
                               double deviation) const {
  at::Tensor weights = at::empty(shape, at::kFloat);
  if (device_.is_meta()) return weights.to(device_);
  at::Generator generator = stream(seed_, "initial " + path_ + std::string(name));
  return weights.normal_(0.0, deviation, generator).to(device_);
}

at::Tensor Initialiser::uniform(std::string_view name, at::IntArrayRef shape, double low,
                                double high) const {
  at::Tensor weights = at::empty(shape, at::kFloat);
  if (device_.is_meta()) return weights.to(device_);
  at::Generator generator = stream(seed_, "initial " + path_ + std::string(name));
  return weights.uniform_(low, high, generator).to(device_);
}

at::Tensor Initialiser::constant(at::IntArrayRef shape, double value) const {
  return at::full(shape, value, at::TensorOptions(at::kFloat).device(device_));
}

}  // namespace relbias::encodings
