// SPDX-License-Identifier: Apache-2.0
// tests: Sandwich against Chi et al. 2023, "Dissecting Transformer Length Extrapolation via the
// Lens of Receptive Field Analysis", as the inner product of two tokens' sinusoidal embeddings.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/encodings/gradients.h"
#include "tests/encodings/oracles/plain_attention.h"

namespace relbias::encodings {
namespace {

/// The table learns nothing and is float32 in a model of any type; its numbers reach 16 here.
constexpr double table_tolerance = 1e-6;

/// sin and cos of position / base^(2i/m), i = 1..m/2, m = `width`.
std::vector<double> sinusoids(double position, int64_t width, double base) {
  std::vector<double> embedding;
  for (int64_t i = 1; i <= width / 2; ++i) {
    const double angle =
        position / std::pow(base, 2 * static_cast<double>(i) / static_cast<double>(width));
    embedding.push_back(std::sin(angle));
    embedding.push_back(std::cos(angle));
  }
  return embedding;
}

/// Two places that far apart; on a line the tokens' own.
std::pair<double, double> places(const RelationMap& map, const Pair& pair) {
  if (map.index_class == IndexClass::line) return {pair.i + map.keys - map.queries, pair.j};
  return {2.5, 2.5 + distance_of(map, pair)};
}

void expect_sandwich(int64_t width, double base, const RelationCase& relation,
                     const RelationMap& map) {
  const auto encoding = oracle_encoding(
      "sandwich width=" + std::to_string(width) + " base=" + std::to_string(base), relation, false);
  const Call call = random_call(map, /*causal=*/map.index_class == IndexClass::line);
  const auto special = [&](const Pair& pair, int64_t id) {
    return number(parameter(*encoding, "special"), {pair.h, id});
  };
  // p_i . p_j over the compression ratio 8h/H, heads counted from 1.
  const auto compressed = [&](const Pair& pair, double product) {
    const double ratio = 8 * static_cast<double>(pair.h + 1) / static_cast<double>(call.heads());
    return product / ratio;
  };
  const auto inner = [&](const Pair& pair) {
    const auto [query, key] = places(map, pair);
    const std::vector<double> p = sinusoids(query, width, base);
    const std::vector<double> r = sinusoids(key, width, base);
    return dot(p.data(), r.data(), width);
  };
  const double largest = static_cast<double>(width) / 2;  // p_i . p_i
  const Tensor expected = by_pair(call, [&](const Pair& pair) {
    const int64_t id = special_of(map, pair);
    return id >= 0 ? special(pair, id) : compressed(pair, inner(pair) - largest);
  });
  EXPECT_LT(distance(score_at_pairs(encoding->terms(map).score, map, call), expected),
            table_tolerance);
  // m/2 is the same for all keys of a head, so that it leaves the softmax.
  const Tensor out = plain_attention(call, [&](const Pair& pair) {
    const int64_t id = special_of(map, pair);
    const double bias =
        id >= 0 ? special(pair, id) + compressed(pair, largest) : compressed(pair, inner(pair));
    return std::exp(content_score(call, pair) + bias);
  });
  EXPECT_LT(distance(attend(*encoding, map, call).out, out), table_tolerance);
}

TEST(SandwichOracle, OnALine) {
  const RelationCase line = relation_case("token");
  for (const int64_t width : {2, 128})
    for (const auto& [queries, keys] : oracle_sizes()) {
      SCOPED_TRACE(::testing::Message() << "m " << width << " Q " << queries << " K " << keys);
      expect_sandwich(width, 10000, line, line.map(queries, keys));
    }
}

TEST(SandwichOracle, OnGridHopsAndTree) {
  for (const RelationCase& relation : {relation_case("small-grid"), relation_case("small-hops"),
                                       relation_case("small-tree"), plain_grid(3, 4)}) {
    SCOPED_TRACE(relation.name);
    expect_sandwich(16, 100, relation, relation.map(relation.tokens, relation.tokens));
  }
}

// Three tokens, three heads, m = 4, base 4: the waves' divisors are 4^(2/4) = 2 and 4^(4/4) = 4.
//   d = 1: cos 1/2 + cos 1/4 - 2 = 0.877582561890373 + 0.968912421710645 - 2 = -0.153505016398983
//   d = 2: cos 1   + cos 1/2 - 2 = 0.540302305868140 + 0.877582561890373 - 2 = -0.582115132241487
// Head 1 has H/(8h) = 3/8, head 2 3/16, head 3 1/8.
TEST(SandwichOracle, ByHand) {
  const RelationCase line = relation_case("token");
  const RelationMap map = line.map(3, 3);
  const auto encoding = oracle_encoding("sandwich width=4 base=4", line, /*causal=*/false);
  const Tensor score =
      score_at_pairs(encoding->terms(map).score, map, random_call(map, /*causal=*/false));
  const double one = -0.153505016398983;
  const double two = -0.582115132241487;
  const Tensor matrix = at::tensor({0.0, one, two, one, 0.0, one, two, one, 0.0}, at::kDouble);
  EXPECT_LT(distance(score[0][0], matrix.view({3, 3}) * 3 / 8), table_tolerance);
  EXPECT_LT(distance(score[0][1], matrix.view({3, 3}) * 3 / 16), table_tolerance);
  EXPECT_LT(distance(score[0][2], matrix.view({3, 3}) / 8), table_tolerance);
}

}  // namespace
}  // namespace relbias::encodings
