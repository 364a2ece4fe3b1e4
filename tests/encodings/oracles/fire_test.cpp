// SPDX-License-Identifier: Apache-2.0
// tests: FIRE against Li et al. 2024, "Functional Interpolation for Relative Positions Improves
// Long Context Transformers", pair by pair.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/encodings/gradients.h"
#include "tests/encodings/oracles/plain_attention.h"

namespace relbias::encodings {
namespace {

/// b(i, j) = f( psi(i - j) / psi(max(L, i)) ), psi(x) = log(c x + 1), i counted from 0. The second
/// layer of f has no offset here: it would be the same for all keys and leave the softmax.
class Fire {
 public:
  Fire(const Encoding& encoding, double threshold_start)
      : c_(number(parameter(encoding, "c"), {})),
        threshold_(number(parameter(encoding, "threshold"), {}) * threshold_start),
        first_(parameter(encoding, "mlp.first")),
        first_bias_(parameter(encoding, "mlp.first_bias")),
        second_(parameter(encoding, "mlp.second")) {}

  double bias(int64_t head, int64_t query_position, int64_t key_position) const {
    const double distance = static_cast<double>(query_position - key_position);
    const double reach = std::max(threshold_, static_cast<double>(query_position));
    const double x = std::log(c_ * distance + 1) / std::log(c_ * reach + 1);
    const int64_t width = first_.size(0);
    const double* const first = first_.const_data_ptr<double>();
    const double* const offset = first_bias_.const_data_ptr<double>();
    const double* const second = second_.const_data_ptr<double>() + head * width;
    double sum = 0;
    for (int64_t unit = 0; unit < width; ++unit) {
      const double inside = first[unit] * x + offset[unit];
      if (inside > 0) sum += second[unit] * inside;
    }
    return sum;
  }

 private:
  double c_;
  double threshold_;
  Tensor first_, first_bias_, second_;
};

/// The dense term where pairs may attend, [B, H, Q, K].
Tensor dense_term(Encoding& encoding, const RelationMap& map, const Call& call) {
  const Terms terms = encoding.terms(map);
  EXPECT_FALSE(terms.score.defined());
  const Tensor allowed = allowed_pairs(call.queries(), call.keys(), {.causal = true}, at::kCPU);
  const Tensor dense = terms.dense(call.q, call.k, allowed).detach();
  return at::where(allowed, dense, 0.0)
      .expand({call.batch(), call.heads(), call.queries(), call.keys()});
}

void expect_fire(int64_t threshold_start, const RelationMap& map) {
  const auto encoding = oracle_encoding("fire width=5 L=" + std::to_string(threshold_start) + ".0",
                                        relation_case("token"), /*causal=*/true);
  set_parameter(*encoding, "c", {0.3});
  set_parameter(*encoding, "threshold", {0.9});
  const Fire fire(*encoding, static_cast<double>(threshold_start));
  const Call call = random_call(map, /*causal=*/true);
  const auto bias = [&](const Pair& pair) {
    return fire.bias(pair.h, pair.i + call.keys() - call.queries(), pair.j);
  };
  EXPECT_LT(distance(dense_term(*encoding, map, call), by_pair(call, bias)), oracle_tolerance);
  const Tensor out = plain_attention(
      call, [&](const Pair& pair) { return std::exp(content_score(call, pair) + bias(pair)); });
  EXPECT_LT(distance(attend(*encoding, map, call).out, out), oracle_tolerance);
}

// L = 5 is passed within 7 tokens, 512 never.
TEST(FireOracle, OnALine) {
  const RelationCase line = relation_case("token");
  for (const int64_t threshold_start : {5, 512})
    for (const auto& [queries, keys] : oracle_sizes()) {
      SCOPED_TRACE(::testing::Message()
                   << "L " << threshold_start << " Q " << queries << " K " << keys);
      expect_fire(threshold_start, line.map(queries, keys));
    }
}

// Four tokens, c = 1, L = 2, f(x) = relu(x) on head 1, 3 relu(x) on head 2, -2 relu(x) on head 3.
// Row i is ln(d + 1) / ln(max(2, i) + 1):
//   i = 0:  ln1/ln3 = 0
//   i = 1:  ln2/ln3 = 0.630929753571457, 0
//   i = 2:  ln3/ln3 = 1, ln2/ln3, 0
//   i = 3:  ln4/ln4 = 1, ln3/ln4 = 0.792481250360578, ln2/ln4 = 0.5, 0
TEST(FireOracle, ByHand) {
  const RelationCase line = relation_case("token");
  const RelationMap map = line.map(4, 4);
  const auto encoding = oracle_encoding("fire width=1 L=2.0", line, /*causal=*/true);
  set_parameter(*encoding, "c", {1});
  set_parameter(*encoding, "threshold", {1});
  set_parameter(*encoding, "mlp.first", {1});
  set_parameter(*encoding, "mlp.first_bias", {0});
  set_parameter(*encoding, "mlp.second", {1, 3, -2});
  const Tensor matrix = at::tensor({0.0, 0.0, 0.0, 0.0,                //
                                    0.630929753571457, 0.0, 0.0, 0.0,  //
                                    1.0, 0.630929753571457, 0.0, 0.0,  //
                                    1.0, 0.792481250360578, 0.5, 0.0},
                                   at::kDouble)
                            .view({4, 4});
  const Tensor bias = dense_term(*encoding, map, random_call(map, /*causal=*/true));
  EXPECT_LT(distance(bias[0][0], matrix), oracle_tolerance);
  EXPECT_LT(distance(bias[0][1], 3 * matrix), oracle_tolerance);
  EXPECT_LT(distance(bias[0][2], -2 * matrix), oracle_tolerance);
}

}  // namespace
}  // namespace relbias::encodings
