// SPDX-License-Identifier: Apache-2.0
// tests: CoPE against Golovneva et al. 2024, "Contextual Position Encoding: Learning to Count
// What's Important", pair by pair.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/encodings/gradients.h"
#include "tests/encodings/oracles/plain_attention.h"

namespace relbias::encodings {
namespace {

/// g_ij = sigmoid(q_i . k_j / sqrt(D)), 0 where j is masked for i.
double gate(const Call& call, const Pair& pair) {
  return may_attend(call, pair) ? 1 / (1 + std::exp(-content_score(call, pair))) : 0;
}

/// q_i . e[p_ij] / sqrt(D) with p_ij the sum of the gates from key j to the row's last, at most
/// positions - 1, and e linear between whole positions: every row n counts max(0, 1 - |p - n|).
double cope_score(const Call& call, const Pair& pair, const Tensor& table) {
  const int64_t positions = table.size(1);
  double p = 0;
  for (int64_t t = pair.j; t < call.keys(); ++t) p += gate(call, {pair.b, pair.h, pair.i, t});
  p = std::min(p, static_cast<double>(positions - 1));
  const double* const q = token(call.q, pair.b, pair.h, pair.i);
  double sum = 0;
  for (int64_t n = 0; n < positions; ++n) {
    const double share = std::max(0.0, 1 - std::abs(p - static_cast<double>(n)));
    const double* const row =
        table.const_data_ptr<double>() + (pair.h * positions + n) * call.width();
    if (share > 0) sum += share * dot(q, row, call.width());
  }
  return sum / std::sqrt(static_cast<double>(call.width()));
}

/// The dense term where pairs may attend, [B, H, Q, K].
Tensor dense_term(Encoding& encoding, const RelationMap& map, const Call& call) {
  const Tensor allowed = allowed_pairs(call.queries(), call.keys(),
                                       {.causal = call.causal, .mask = call.mask}, at::kCPU);
  const Tensor dense = encoding.terms(map).dense(call.q, call.k, allowed).detach();
  return at::where(allowed, dense, 0.0)
      .expand({call.batch(), call.heads(), call.queries(), call.keys()});
}

void expect_cope(int64_t positions, bool padded, const RelationMap& map) {
  const auto encoding = oracle_encoding("cope positions=" + std::to_string(positions),
                                        relation_case("token"), /*causal=*/true);
  const Tensor table = parameter(*encoding, "table");
  ASSERT_EQ(table.size(1), positions);
  Call call = random_call(map, /*causal=*/true);
  if (padded) {  // the first key of one sample and the middle one of the other
    call.mask = at::ones({2, 1, map.queries, map.keys}, at::kBool);
    call.mask[0].select(-1, 0).fill_(false);
    call.mask[1].select(-1, map.keys / 2).fill_(false);
  }
  const auto score = [&](const Pair& pair) { return cope_score(call, pair, table); };
  EXPECT_LT(distance(dense_term(*encoding, map, call), by_pair(call, score)), oracle_tolerance);
  const Tensor out = plain_attention(
      call, [&](const Pair& pair) { return std::exp(content_score(call, pair) + score(pair)); });
  EXPECT_LT(distance(attend(*encoding, map, call).out, out), oracle_tolerance);
}

// 3 positions are passed within 7 tokens, 64 never.
TEST(CopeOracle, OnALine) {
  const RelationCase line = relation_case("token");
  for (const int64_t positions : {3, 64})
    for (const bool padded : {false, true})
      for (const auto& [queries, keys] : oracle_sizes()) {
        SCOPED_TRACE(::testing::Message() << "positions " << positions << " padded " << padded
                                          << " Q " << queries << " K " << keys);
        expect_cope(positions, padded, line.map(queries, keys));
      }
}

// Three tokens, every query sqrt(6) (1, 0, ...), keys (ln 3, 0, ...), (0, ...), (-ln 3, 0, ...):
// the gates are 3/4, 1/2, 1/4. Row n of e starts with n^2, so a term is e[p]_0 between 0, 1, 4:
//   row 0: p = 3/4                    -> 3/4
//   row 1: p = 5/4, 1/2               -> 1 + 1/4 * 3 = 7/4, 1/2
//   row 2: p = 3/2, 3/4, 1/4          -> 1 + 1/2 * 3 = 5/2, 3/4, 1/4
// With two positions p stops at 1: 5/4 and 3/2 both give e[1]_0 = 1.
TEST(CopeOracle, ByHand) {
  const RelationCase line = relation_case("token");
  const RelationMap map = line.map(3, 3);
  Call call = random_call(map, /*causal=*/true);
  const double ln3 = 1.098612288668109691;
  call.q.zero_().select(-1, 0).fill_(std::sqrt(6.0));
  call.k.zero_().select(-1, 0).copy_(at::tensor({ln3, 0.0, -ln3}, at::kDouble));
  const auto bias = [&](int64_t positions) {
    const auto encoding = oracle_encoding("cope positions=" + std::to_string(positions), line,
                                          /*causal=*/true);
    Tensor table = parameter(*encoding, "table");
    table.zero_().select(-1, 0).copy_(at::arange(positions, at::kDouble).square());
    return dense_term(*encoding, map, call)[1][2];
  };
  const Tensor three = at::tensor({0.75, 0.0, 0.0, 1.75, 0.5, 0.0, 2.5, 0.75, 0.25}, at::kDouble);
  const Tensor two = at::tensor({0.75, 0.0, 0.0, 1.0, 0.5, 0.0, 1.0, 0.75, 0.25}, at::kDouble);
  EXPECT_LT(distance(bias(3), three.view({3, 3})), oracle_tolerance);
  EXPECT_LT(distance(bias(2), two.view({3, 3})), oracle_tolerance);
}

// The queries of a model that diverges. That is found and told; an index out of range would be a
// fault.
TEST(CopeOracle, NotANumberStaysNotANumber) {
  const RelationCase line = relation_case("token");
  const RelationMap map = line.map(3, 3);
  const auto encoding = oracle_encoding("cope", line, /*causal=*/true);
  Call call = random_call(map, /*causal=*/true);
  call.q.fill_(std::numeric_limits<double>::quiet_NaN());
  const Tensor allowed = at::ones({3, 3}, at::kBool).tril();
  const Tensor term = dense_term(*encoding, map, call);
  EXPECT_TRUE(at::equal(term.isnan(), allowed.expand_as(term)));
  EXPECT_TRUE(attend(*encoding, map, call).out.isnan().all().item<bool>());
}

}  // namespace
}  // namespace relbias::encodings
