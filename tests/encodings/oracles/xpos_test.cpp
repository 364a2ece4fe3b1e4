// SPDX-License-Identifier: Apache-2.0
// tests: xPos against Sun et al. 2022, "A Length-Extrapolatable Transformer", by complex numbers.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "tests/encodings/gradients.h"
#include "tests/encodings/oracles/plain_attention.h"

namespace relbias::encodings {
namespace {

using Complex = std::complex<double>;

/// What n tokens do to pair c of d/2: zeta_c^(n / scale_base) e^(i n theta_c), with
/// zeta_c = (c / (d/2) + 0.4) / 1.4 and theta_c = base^(-c / (d/2)). The paper gives the query the
/// power of its position and the key the inverse power of its own; only their product is defined,
/// as a factor that both share inversely cancels.
Complex turn(int64_t n, int64_t c, int64_t d, double scale_base) {
  const double part = static_cast<double>(c) / (static_cast<double>(d) / 2);
  const double steps = static_cast<double>(n);
  return std::pow((part + 0.4) / 1.4, steps / scale_base) *
         std::polar(1.0, steps * std::pow(10000.0, -part));
}

Complex channel_pair(const double* vector, int64_t c, int64_t width, bool interleaved) {
  return interleaved ? Complex(vector[2 * c], vector[2 * c + 1])
                     : Complex(vector[c], vector[c + width / 2]);
}

/// Re sum_c q_c conj(k_c) turn_c(i - j) / sqrt(d)
double xpos_score(const Call& call, const Pair& pair, double scale_base, bool interleaved) {
  double sum = 0;
  for (int64_t c = 0; c < call.width() / 2; ++c) {
    const Complex q =
        channel_pair(token(call.q, pair.b, pair.h, pair.i), c, call.width(), interleaved);
    const Complex k =
        channel_pair(token(call.k, pair.b, pair.h, pair.j), c, call.width(), interleaved);
    sum += (q * std::conj(k) * turn(-line_offset(call, pair), c, call.width(), scale_base)).real();
  }
  return sum / std::sqrt(static_cast<double>(call.width()));
}

/// The rotations of query and key, joined, at every pair and channel pair, future keys too.
void expect_turns(const Rotation& rotation, const Call& call, double scale_base) {
  double gap = 0;
  for (int64_t i = 0; i < call.queries(); ++i)
    for (int64_t j = 0; j < call.keys(); ++j)
      for (int64_t c = 0; c < call.width() / 2; ++c) {
        const auto at = [&](const Tensor& table, int64_t n) {
          return table[0][0][n][c].item<double>();
        };
        const Complex query(at(rotation.query_cos, i), at(rotation.query_sin, i));
        const Complex key(at(rotation.key_cos, j), at(rotation.key_sin, j));
        const Complex expected =
            turn(-line_offset(call, {0, 0, i, j}), c, call.width(), scale_base);
        // The factor of future keys grows without bound; hold the gap against it.
        gap = std::max(
            gap, std::abs(query * std::conj(key) - expected) / std::max(1.0, std::abs(expected)));
      }
  EXPECT_LT(gap, oracle_tolerance);
}

void expect_xpos(int64_t scale_base, bool interleaved, const RelationMap& map) {
  const auto encoding = oracle_encoding("xpos scale_base=" + std::to_string(scale_base) +
                                            ".0 layout=" + (interleaved ? "interleaved" : "half"),
                                        relation_case("token"), /*causal=*/true);
  const Call call = random_call(map, /*causal=*/true);
  const Terms terms = encoding->terms(map);
  ASSERT_TRUE(terms.rotation);
  expect_turns(*terms.rotation, call, static_cast<double>(scale_base));

  const auto weight = [&](const Pair& pair) {
    return std::exp(xpos_score(call, pair, static_cast<double>(scale_base), interleaved));
  };
  const AttentionResult ours = attend(*encoding, map, call);
  const Tensor weights = by_pair(call, weight);
  EXPECT_LT(distance(ours.weights, weights / weights.sum(-1, /*keepdim=*/true)), oracle_tolerance);
  EXPECT_LT(distance(ours.out, plain_attention(call, weight)), oracle_tolerance);
}

TEST(XposOracle, OnALine) {
  const RelationCase line = relation_case("token");
  for (const int64_t scale_base : {4, 512})
    for (const bool interleaved : {false, true})
      for (const auto& [queries, keys] : oracle_sizes()) {
        SCOPED_TRACE(::testing::Message() << "scale_base " << scale_base << " interleaved "
                                          << interleaved << " Q " << queries << " K " << keys);
        expect_xpos(scale_base, interleaved, line.map(queries, keys));
      }
}

// Three tokens, q = k = (1, 0, 0, ...), scale 1, scale_base 1. Only pair 0 counts: theta = 1 and
// zeta = 0.4 / 1.4 = 2/7, so the score at distance d is (2/7)^d cos d:
//   d = 0: 1    d = 1: 2/7 * 0.540302305868140 = 0.154372087390897
//               d = 2: 4/49 * -0.416146836547142 = -0.033971170330379
// and the weights are, with e^1 = 2.718281828459045, e^0.154372... = 1.166925004088786 and
// e^-0.033971... = 0.966599370976337:
//   row 1: 1.166925..., 2.718281... over 3.885206832547831
//   row 2: 0.966599..., 1.166925..., 2.718281... over 4.851806203524168
TEST(XposOracle, ByHand) {
  const RelationCase line = relation_case("token");
  const RelationMap map = line.map(3, 3);
  const auto encoding = oracle_encoding("xpos scale_base=1.0", line, /*causal=*/true);
  Call call = random_call(map, /*causal=*/true);
  call.scale = 1;
  call.q.zero_().select(-1, 0).fill_(1);
  call.k.zero_().select(-1, 0).fill_(1);
  const Tensor matrix = at::tensor({1.0, 0.0, 0.0,                              //
                                    0.300350806117455, 0.699649193882545, 0.0,  //
                                    0.199224645509179, 0.240513523240309, 0.560261831250512},
                                   at::kDouble)
                            .view({3, 3});
  EXPECT_LT(distance(attend(*encoding, map, call).weights[1][2], matrix), oracle_tolerance);
}

}  // namespace
}  // namespace relbias::encodings
