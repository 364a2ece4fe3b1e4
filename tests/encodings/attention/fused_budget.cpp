// SPDX-License-Identifier: Apache-2.0
// tests: one call of the fused kernel against the reference, numbers and gradients.
#include "tests/encodings/attention/fused_budget.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "modalities/seed.h"
#include "tests/encodings/gradients.h"

namespace relbias::encodings {
namespace {

Tensor rounded(const Tensor& values, at::ScalarType type) {
  return values.detach().to(at::kFloat).to(type);
}

std::vector<Tensor*> tables_of(Terms& terms) {
  std::vector<Tensor*> tables;
  for (Tensor* table : {&terms.score, &terms.key, &terms.query, &terms.value, &terms.content_bias,
                        &terms.position_bias}) {
    if (table->defined()) tables.push_back(table);
  }
  return tables;
}

// The names of outcome_of's tensors.
std::vector<std::string> names_of(std::vector<Position> positions) {
  std::vector<std::string> names{"out", "gradient of q", "gradient of k", "gradient of v"};
  for (size_t n = 0; n < positions.size(); ++n) {
    Terms& terms = positions[n].terms;
    const std::pair<const char*, const Tensor*> tables[] = {
        {"score", &terms.score}, {"key", &terms.key},        {"query", &terms.query},
        {"value", &terms.value}, {"u", &terms.content_bias}, {"v", &terms.position_bias}};
    for (const auto& [name, table] : tables) {
      if (table->defined()) names.push_back(fmt::format("gradient of table {} {}", name, n));
    }
  }
  return names;
}

double mean_error(const Tensor& found, const Tensor& exact) {
  return (found.to(at::kDouble) - exact).square().mean().sqrt().item<double>();
}

}  // namespace

std::vector<Tensor> outcome_of(const std::vector<Tensor>& qkv, const std::vector<Position>& of_call,
                               AttentionOptions options, at::ScalarType type, Backend backend) {
  std::vector<Tensor> leaves;
  for (const Tensor& x : qkv) leaves.push_back(rounded(x, type).requires_grad_());
  std::vector<Position> positions = of_call;
  for (Position& position : positions) {
    for (Tensor* table : tables_of(position.terms)) {
      *table = rounded(*table, type).requires_grad_();
      leaves.push_back(*table);
    }
    if (auto& turn = position.terms.rotation) {
      for (Tensor* x : {&turn->query_cos, &turn->query_sin, &turn->key_cos, &turn->key_sin})
        *x = rounded(*x, type);
    }
  }
  options.backend = backend;
  const AttentionResult result = attention(leaves[0], leaves[1], leaves[2], positions, options);
  EXPECT_EQ(result.backend, backend);
  at::Generator generator = stream(4, "cotangent");
  const Tensor cotangent =
      rounded(at::empty(result.out.sizes(), at::kDouble).normal_(0, 1, generator), type);
  const auto gradients = torch::autograd::grad({result.out}, leaves, {cotangent}, std::nullopt,
                                               false, /*allow_unused=*/true);
  std::vector<Tensor> outcome{result.out.detach()};
  for (size_t n = 0; n < leaves.size(); ++n)
    outcome.push_back(gradients[n].defined() ? gradients[n] : at::zeros_like(leaves[n]));
  return outcome;
}

void expect_fused_within_budget(const std::vector<Tensor>& qkv,
                                const std::vector<Position>& positions,
                                const AttentionOptions& options, double times) {
  const auto run = [&](at::ScalarType type, Backend backend) {
    return outcome_of(qkv, positions, options, type, backend);
  };
  const auto exact = run(at::kDouble, Backend::reference),
             plain = run(at::kFloat, Backend::reference), fused = run(at::kFloat, Backend::fused);
  const auto names = names_of(positions);
  ASSERT_EQ(names.size(), exact.size());
  double largest = 0;  // of all that is summed
  for (const Tensor& x : exact)
    if (x.numel() > 0) largest = std::max(largest, x.abs().max().item<double>());
  const double rounding = largest * 0x1p-22;
  for (size_t n = 0; n < exact.size(); ++n) {
    if (exact[n].numel() == 0) continue;
    EXPECT_LE(mean_error(fused[n], exact[n]), times * mean_error(plain[n], exact[n]) + rounding)
        << names[n] << ", largest number " << largest;
    EXPECT_LE(distance(fused[n], exact[n]), 4 * distance(plain[n], exact[n]) + 4 * rounding)
        << names[n] << ", largest number " << largest;
    if (names[n].find("table score") == std::string::npos) continue;
    const Tensor sizes = fused[n].abs().sum(-1);
    EXPECT_LE(fused[n].sum(-1).abs().max().item<double>(),
              2e-6 * (sizes.max().item<double>() + largest))
        << names[n] << ": a constant on all scores changes nothing";
  }
}

}  // namespace relbias::encodings
