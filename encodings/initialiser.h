// SPDX-License-Identifier: Apache-2.0
// encodings: initial weights, each from a random stream of its own name.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "modalities/plain/rooms.h"

namespace relbias::encodings {

/// Draws initial weights. The stream of a weight is a hash of the run's seed and the weight's full
/// name, so two models with the same seed agree wherever names and shapes agree, whatever else they
/// hold: runs that differ in the encoding only start from the same weights. Numbers are drawn on
/// the CPU and placed on the device, so that every device starts alike; on `meta` nothing is drawn.
class Initialiser {
 public:
  Initialiser(uint64_t seed, c10::Device device = c10::Device(at::kCPU))
      : seed_(seed), device_(device) {}

  /// The initialiser of a submodule.
  Initialiser in(std::string_view name) const;
  /// N(0, deviation^2), float32.
  at::Tensor normal(std::string_view name, at::IntArrayRef shape, double deviation) const;
  /// U(low, high), float32.
  at::Tensor uniform(std::string_view name, at::IntArrayRef shape, double low, double high) const;
  /// One number everywhere, float32.
  at::Tensor constant(at::IntArrayRef shape, double value) const;
  c10::Device device() const { return device_; }
  /// A fixed table on the device.
  at::Tensor placed(const at::Tensor& table) const { return table.to(device_); }

 private:
  uint64_t seed_;
  c10::Device device_;
  std::string path_;
};

}  // namespace relbias::encodings
