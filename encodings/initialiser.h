// SPDX-License-Identifier: Apache-2.0
// encodings: initial weights, each from a random stream of its own name.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace relbias {

/// Draws initial weights. The stream of a weight is a hash of the run's seed and the weight's full
/// name, so two models with the same seed agree wherever names and shapes agree, whatever else they
/// hold: runs that differ in the encoding only start from the same weights.
class Initialiser {
 public:
  explicit Initialiser(uint64_t seed, std::string path = "") : seed_(seed), path_(std::move(path)) {}

  /// The initialiser of a submodule.
  Initialiser in(std::string_view name) const;
  /// N(0, deviation^2), float32.
  at::Tensor normal(std::string_view name, at::IntArrayRef shape, double deviation) const;
  /// U(low, high), float32.
  at::Tensor uniform(std::string_view name, at::IntArrayRef shape, double low, double high) const;

 private:
  uint64_t seed_;
  std::string path_;
};

}  // namespace relbias
