// SPDX-License-Identifier: Apache-2.0
// tests: KERPLE against Chi et al. 2022, "KERPLE: Kernelized Relative Positional Embedding for
// Length Extrapolation", as the logarithms of kernels.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/encodings/gradients.h"
#include "tests/encodings/oracles/plain_attention.h"

namespace relbias::encodings {
namespace {

/// The bias as the logarithm of a kernel: log ln (1 + r2 d)^-r1, power -r1 exp(r2 ln d), 0 at d =
/// 0. The released code keeps r1, r2 >= 0.01 and the power's r2 <= 2.
double kerple(bool power, double r1, double r2, double d) {
  r1 = std::max(r1, 0.01);
  r2 = std::max(r2, 0.01);
  if (!power) return std::log(std::pow(1 + r2 * d, -r1));
  return d == 0 ? 0 : -r1 * std::exp(std::min(r2, 2.0) * std::log(d));
}

void expect_kerple(const std::string& variant, const RelationCase& relation,
                   const RelationMap& map) {
  const auto encoding = oracle_encoding("kerple variant=" + variant, relation, /*causal=*/false);
  set_parameter(*encoding, "r1", {0.7, -0.3, 1.9});   // the second is below the bound
  set_parameter(*encoding, "r2", {1.3, 0.002, 2.6});  // so here, the third above the power's
  const Tensor r1 = parameter(*encoding, "r1");
  const Tensor r2 = parameter(*encoding, "r2");
  for (const bool causal : {false, true}) {
    if (causal && map.index_class != IndexClass::line) continue;
    const Call call = random_call(map, causal);
    const auto bias = [&](const Pair& pair) {
      if (const int64_t id = special_of(map, pair); id >= 0)
        return number(parameter(*encoding, "special"), {pair.h, id});
      return kerple(variant == "power", number(r1, {pair.h, 0}), number(r2, {pair.h, 0}),
                    distance_of(map, pair));
    };
    EXPECT_LT(distance(score_at_pairs(encoding->terms(map).score, map, call), by_pair(call, bias)),
              oracle_tolerance);
    // Conditionally positive definite kernels become positive ones under the softmax.
    const Tensor out = plain_attention(call, [&](const Pair& pair) {
      return std::exp(content_score(call, pair)) * std::exp(bias(pair));
    });
    EXPECT_LT(distance(attend(*encoding, map, call).out, out), oracle_tolerance);
  }
}

TEST(KerpleOracle, OnALine) {
  const RelationCase line = relation_case("token");
  for (const std::string variant : {"log", "power"})
    for (const auto& [queries, keys] : oracle_sizes()) {
      SCOPED_TRACE(::testing::Message() << variant << " Q " << queries << " K " << keys);
      expect_kerple(variant, line, line.map(queries, keys));
    }
}

TEST(KerpleOracle, OnGridHopsAndTree) {
  for (const std::string variant : {"log", "power"})
    for (const RelationCase& relation : {relation_case("small-grid"), relation_case("small-hops"),
                                         relation_case("small-tree"), plain_grid(3, 4)}) {
      SCOPED_TRACE(variant + " on " + relation.name);
      expect_kerple(variant, relation, relation.map(relation.tokens, relation.tokens));
    }
}

// Four tokens. log, r1 = r2 = 1: -ln(1 + d) = 0, -ln 2, -ln 3, -ln 4 = -2 ln 2.
// power, r1 = 0.5, r2 = 2: -d^2 / 2 = 0, -0.5, -2, -4.5.
TEST(KerpleOracle, ByHand) {
  const RelationCase line = relation_case("token");
  const RelationMap map = line.map(4, 4);
  const Call call = random_call(map, /*causal=*/false);
  const auto expect_matrix = [&](const std::string& text, double r1, double r2,
                                 const Tensor& matrix) {
    const auto encoding = oracle_encoding(text, line, /*causal=*/false);
    set_parameter(*encoding, "r1", {r1, r1, r1});
    set_parameter(*encoding, "r2", {r2, r2, r2});
    const Tensor score = score_at_pairs(encoding->terms(map).score, map, call);
    EXPECT_LT(distance(score[0][1], matrix), oracle_tolerance) << text;
  };
  const double ln2 = 0.693147180559945309;
  const double ln3 = 1.098612288668109691;
  expect_matrix("kerple", 1, 1,
                at::tensor({0.0, -ln2, -ln3, -2 * ln2,   //
                            -ln2, 0.0, -ln2, -ln3,       //
                            -ln3, -ln2, 0.0, -ln2,       //
                            -2 * ln2, -ln3, -ln2, 0.0},  //
                           at::kDouble)
                    .view({4, 4}));
  expect_matrix("kerple variant=power", 0.5, 2,
                at::tensor({0.0, -0.5, -2.0, -4.5,   //
                            -0.5, 0.0, -0.5, -2.0,   //
                            -2.0, -0.5, 0.0, -0.5,   //
                            -4.5, -2.0, -0.5, 0.0},  //
                           at::kDouble)
                    .view({4, 4}));
}

}  // namespace
}  // namespace relbias::encodings
