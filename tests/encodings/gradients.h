// SPDX-License-Identifier: Apache-2.0
// tests: gradients by central finite differences in double, against autograd.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "encodings/terms.h"

namespace relbias::encodings {

/// Largest |a - b|; shapes must agree. NaN counts as infinitely far.
inline double distance(const at::Tensor& a, const at::Tensor& b) {
  EXPECT_EQ(a.sizes(), b.sizes());
  if (a.numel() == 0) return 0;
  const at::Tensor gap = (a.detach().to(at::kDouble) - b.detach().to(at::kDouble)).abs();
  return gap.nan_to_num(std::numeric_limits<double>::infinity()).max().item<double>();
}

/// Checks d sum(loss_of()) / d input for every element of every input, all of them double leaves.
/// The tolerance is that of numbers up to 1, and grows with larger ones.
inline void expect_gradients(const std::function<at::Tensor()>& loss_of,
                             const std::vector<std::pair<std::string, at::Tensor>>& inputs,
                             double tolerance = 1e-7) {
  std::vector<at::Tensor> leaves;
  for (const auto& [name, input] : inputs) {
    ASSERT_EQ(input.scalar_type(), at::kDouble) << name;
    input.mutable_grad() = at::Tensor();
    leaves.push_back(input);
  }
  loss_of().backward();
  for (const auto& [name, input] : inputs) {
    const at::Tensor analytic =
        input.grad().defined() ? input.grad().clone() : at::zeros_like(input);
    const at::NoGradGuard no_gradients;
    at::Tensor numeric = at::zeros_like(input);
    double* const values = input.data_ptr<double>();
    for (int64_t n = 0; n < input.numel(); ++n) {
      constexpr double step = 1e-5;
      const double original = values[n];
      values[n] = original + step;
      const double above = loss_of().item<double>();
      values[n] = original - step;
      const double below = loss_of().item<double>();
      values[n] = original;
      numeric.view({-1})[n] = (above - below) / (2 * step);
    }
    const double scale = std::max(1.0, numeric.abs().max().item<double>());
    EXPECT_LT(distance(analytic, numeric), tolerance * scale) << "gradient of " << name;
  }
}

}  // namespace relbias::encodings
