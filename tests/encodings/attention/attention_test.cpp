// SPDX-License-Identifier: Apache-2.0
// tests: reference attention against loops over its formula, and the ways in which masks go wrong.
#include "encodings/attention/attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "modalities/seed.h"
#include "tests/encodings/attention/loops.h"
#include "tests/encodings/gradients.h"

namespace relbias::encodings {
namespace {

const auto kDouble = at::TensorOptions(at::kDouble);

Tensor random(at::IntArrayRef shape, uint64_t seed) {
  at::Generator generator = stream(seed, "attention test");
  return at::empty(shape, kDouble).normal_(0, 1, generator);
}

Tensor bits(std::initializer_list<int> values) { return at::tensor(values).to(at::kBool); }

struct Inputs {
  Tensor q, k, v;
};

Inputs random_inputs(int64_t queries, int64_t keys, uint64_t seed = 1) {
  return {random({2, 3, queries, 4}, seed), random({2, 3, keys, 4}, seed + 1),
          random({2, 3, keys, 5}, seed + 2)};
}

RelationMap map_of(IndexClass index_class, int64_t queries, int64_t keys) {
  RelationMap map;
  map.index_class = index_class;
  map.queries = queries;
  map.keys = keys;
  map.rows = index_class == IndexClass::line ? queries + keys - 1 : 7;
  const bool grid = index_class == IndexClass::grid;
  at::Generator generator = stream(9, "ids");
  if (index_class != IndexClass::line) {
    const std::vector<int64_t> shape =
        grid ? std::vector<int64_t>{queries, keys} : std::vector<int64_t>{2, queries, keys};
    map.index = at::empty(shape, at::kLong).random_(0, map.rows, generator).to(at::kInt);
  }
  return map;
}

enum TermSet {
  kNoTerms = 0,
  kScore = 1,
  kKey = 2,
  kQuery = 4,
  kValue = 8,
  kBiases = 16,
  kRows = 32
};

Position random_position(IndexClass index_class, int64_t queries, int64_t keys, int set) {
  Position position{map_of(index_class, queries, keys), {}};
  Terms& terms = position.terms;
  int64_t rows = position.relation.rows;
  if (set & kScore) terms.score = random({3, rows}, 11);
  if (set & kRows) {
    terms.table_size = 3;
    terms.table_rows = at::arange(rows, at::kLong).remainder(3);
    rows = 3;
  }
  if (set & kKey) terms.key = random({3, rows, 4}, 12);
  if (set & kQuery) terms.query = random({3, rows, 4}, 13);
  if (set & kValue) terms.value = random({3, rows, 5}, 14);
  if (set & kBiases) {
    terms.content_bias = random({3, 4}, 15);
    terms.position_bias = random({3, 4}, 16);
  }
  return position;
}

constexpr int kAll = kScore | kKey | kQuery | kValue | kBiases;

struct Case {
  int64_t queries, keys;
  IndexClass index_class;
  int set;
};

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  const char* classes[] = {"line", "grid", "pairs"};
  return fmt::format("q{}_k{}_{}_{}", info.param.queries, info.param.keys,
                     classes[static_cast<int>(info.param.index_class)], info.param.set);
}

class AttentionTerms : public ::testing::TestWithParam<Case> {};

TEST_P(AttentionTerms, EqualLoopsOverTheFormula) {
  const Case c = GetParam();
  const auto [q, k, v] = random_inputs(c.queries, c.keys);
  const std::vector<Position> positions{random_position(c.index_class, c.queries, c.keys, c.set)};
  for (const bool causal : {false, true}) {
    AttentionOptions options;
    options.causal = causal;
    EXPECT_LT(distance(attention(q, k, v, positions, options).out,
                       loops_attention(q, k, v, positions, options)),
              1e-12);
    options.length_scale_keys = 4;
    options.mask = random({2, 1, c.queries, c.keys}, 20) > -0.5;
    EXPECT_LT(distance(attention(q, k, v, positions, options).out,
                       loops_attention(q, k, v, positions, options)),
              1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Terms, AttentionTerms,
    ::testing::Values(Case{5, 5, IndexClass::line, kNoTerms}, Case{5, 5, IndexClass::line, kScore},
                      Case{5, 5, IndexClass::line, kKey}, Case{5, 5, IndexClass::line, kQuery},
                      Case{5, 5, IndexClass::line, kValue},
                      Case{5, 5, IndexClass::line, kKey | kBiases},
                      Case{5, 5, IndexClass::line, kAll | kRows},
                      Case{4, 4, IndexClass::grid, kScore}, Case{4, 4, IndexClass::grid, kAll},
                      Case{4, 4, IndexClass::pairs, kScore}, Case{4, 4, IndexClass::pairs, kAll},
                      Case{4, 4, IndexClass::pairs, kAll | kRows}),
    case_name);
INSTANTIATE_TEST_SUITE_P(
    Sizes, AttentionTerms,
    ::testing::Values(Case{1, 1, IndexClass::line, kAll}, Case{1, 2, IndexClass::line, kAll},
                      Case{2, 1, IndexClass::line, kAll}, Case{3, 7, IndexClass::line, kAll},
                      Case{7, 3, IndexClass::line, kAll}, Case{31, 33, IndexClass::line, kScore},
                      Case{3, 7, IndexClass::grid, kAll}, Case{7, 3, IndexClass::pairs, kAll}),
    case_name);

TEST(Attention, GradientsOfEveryTermByFiniteDifferences) {
  for (const auto index_class : {IndexClass::line, IndexClass::grid, IndexClass::pairs}) {
    auto [q, k, v] = random_inputs(3, 4);
    Position position = random_position(index_class, 3, 4, kAll);
    Terms& t = position.terms;
    const Tensor cotangent = random({2, 3, 3, 5}, 30);
    AttentionOptions options;
    options.causal = true;
    options.length_scale_keys = 4;
    std::vector<std::pair<std::string, Tensor>> inputs{{"q", q},
                                                       {"k", k},
                                                       {"v", v},
                                                       {"b", t.score},
                                                       {"A", t.key},
                                                       {"P", t.query},
                                                       {"V", t.value},
                                                       {"u", t.content_bias},
                                                       {"v bias", t.position_bias}};
    for (auto& [name, input] : inputs) input.requires_grad_();
    expect_gradients(
        [&] { return (attention(q, k, v, {position}, options).out * cotangent).sum(); }, inputs);
  }
}

TEST(Attention, GradientsAtOddSizes) {
  for (const auto& [queries, keys] : {std::pair<int64_t, int64_t>{1, 1}, {2, 31}, {33, 2}}) {
    Tensor q = random({1, 1, queries, 2}, 1), k = random({1, 1, keys, 2}, 2);
    Position position{map_of(IndexClass::line, queries, keys), {}};
    position.terms.score = random({1, position.relation.rows}, 3).requires_grad_();
    q.requires_grad_();
    const Tensor v = random({1, 1, keys, 3}, 4), cotangent = random({1, 1, queries, 3}, 5);
    expect_gradients(
        [&] { return (attention(q, k, v, {position}, {.causal = true}).out * cotangent).sum(); },
        {{"q", q}, {"b", position.terms.score}});
  }
}

Tensor weights_of(int64_t queries, int64_t keys, const AttentionOptions& options) {
  const Tensor zeros = at::zeros({1, 1, queries, 2}, kDouble);
  return attention(zeros, at::zeros({1, 1, keys, 2}, kDouble),
                   at::eye(keys, kDouble).view({1, 1, keys, keys}), {}, options)
      .out[0][0];
}

// Seen elsewhere: the causal mask hung from the wrong corner.
TEST(AttentionCausal, HangsFromTheBottomRightCorner) {
  const Tensor expected = at::tensor({1. / 3, 1. / 3, 1. / 3, 0., 0.,  //
                                      .25, .25, .25, .25, 0.,          //
                                      .2, .2, .2, .2, .2})
                              .view({3, 5});
  EXPECT_LT(distance(weights_of(3, 5, {.causal = true}), expected), 1e-12);
}

// Seen elsewhere: a finite mask that large scores beat.
TEST(AttentionMask, FutureScoresOfAnySizeStayHidden) {
  const Tensor q = at::ones({1, 1, 1, 1}), k = at::tensor({0.f, 12000.f}).view({1, 1, 2, 1});
  const Tensor mask = bits({1, 0}).view({1, 1, 1, 2});
  const auto result = attention(q, k, at::ones({1, 1, 2, 1}), {},
                                {.mask = mask, .scale = 1.0, .return_weights = true});
  EXPECT_EQ(result.weights[0][0][0][0].item<float>(), 1.f);
  EXPECT_EQ(result.weights[0][0][0][1].item<float>(), 0.f);
}

// Seen elsewhere: two saturated masks added to NaN.
TEST(AttentionMask, TwoMasksJoinInHalfPrecision) {
  for (const auto type : {at::kHalf, at::kBFloat16}) {
    const Tensor q = at::full({1, 1, 2, 1}, -16.0, type), k = at::ones({1, 1, 2, 1}, type);
    const Tensor mask = bits({1, 0, 1, 0}).view({1, 1, 2, 2});
    const auto result =
        attention(q, k, at::ones({1, 1, 2, 1}, type), {}, {.causal = true, .mask = mask});
    EXPECT_TRUE(at::equal(result.out, at::ones_like(result.out)));
    EXPECT_EQ(result.out.scalar_type(), type);
  }
}

// Seen elsewhere: True keeps in one program and drops in another.
TEST(AttentionMask, TrueMayAttend) {
  const Tensor mask = bits({1, 0}).view({1, 1, 1, 2});
  const Tensor v = at::tensor({1., 5.}, kDouble).view({1, 1, 2, 1});
  const Tensor zeros = at::zeros({1, 1, 2, 1}, kDouble);
  EXPECT_EQ(attention(zeros.narrow(2, 0, 1), zeros, v, {}, {.mask = mask}).out.item<double>(), 1.0);
}

// Seen elsewhere: NaN, or a mean over padding.
TEST(AttentionMask, RowsWithoutKeysGiveZerosAndFiniteGradients) {
  Tensor q = random({1, 1, 2, 2}, 1).requires_grad_(), k = random({1, 1, 2, 2}, 2).requires_grad_();
  Tensor v = random({1, 1, 2, 2}, 3).requires_grad_();
  Position position{map_of(IndexClass::line, 2, 2), {}};
  position.terms.score = random({1, 3}, 4).requires_grad_();
  const Tensor mask = bits({1, 1, 0, 0}).view({1, 1, 2, 2});
  const auto result = attention(q, k, v, {position}, {.mask = mask});
  EXPECT_TRUE(at::equal(result.out[0][0][1], at::zeros({2}, kDouble)));
  EXPECT_NE(result.out[0][0][0][0].item<double>(), 0);
  result.out.sum().backward();
  for (const auto& leaf : {q, k, v, position.terms.score}) {
    EXPECT_TRUE(at::isfinite(leaf.grad()).all().item<bool>());
  }
  // A causal row before the first key is such a row, too.
  EXPECT_TRUE(
      at::equal(weights_of(3, 1, {.causal = true}).narrow(0, 0, 2), at::zeros({2, 1}, kDouble)));
}

TEST(AttentionMask, PaddingFullOfNanReachesNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Tensor q = random({1, 2, 4, 3}, 1), k = random({1, 2, 4, 3}, 2), v = random({1, 2, 4, 3}, 3);
  const auto real = [](const Tensor& x) { return x.narrow(2, 0, 3).clone().requires_grad_(); };
  const Tensor q3 = real(q), k3 = real(k), v3 = real(v);
  const Position short_position{map_of(IndexClass::line, 3, 3), {.score = random({2, 5}, 4)}};
  const Tensor plain = attention(q3, k3, v3, {short_position}, {}).out;
  plain.sum().backward();
  for (const auto& x : {q, k, v}) x.select(2, 3).fill_(nan);
  for (auto* x : {&q, &k, &v}) x->requires_grad_();
  Tensor mask = at::ones({1, 1, 4, 4}, at::kBool);
  mask.select(3, 3).fill_(false);
  mask.select(2, 3).fill_(false);
  Position position{map_of(IndexClass::line, 4, 4), {}};
  position.terms.score = at::constant_pad_nd(short_position.terms.score, {1, 1}, nan);
  const Tensor out = attention(q, k, v, {position}, {.mask = mask}).out;
  EXPECT_LT(distance(out.narrow(2, 0, 3), plain), 1e-12);
  out.sum().backward();
  EXPECT_LT(distance(q.grad().narrow(2, 0, 3), q3.grad()), 1e-12);
  EXPECT_LT(distance(k.grad().narrow(2, 0, 3), k3.grad()), 1e-12);
  EXPECT_LT(distance(v.grad().narrow(2, 0, 3), v3.grad()), 1e-12);
  for (const auto& x : {q, k, v}) {
    EXPECT_TRUE(at::equal(x.grad().select(2, 3), at::zeros({1, 2, 3}, kDouble)));
  }
}

// Seen elsewhere: a learned bias without gradient.
TEST(AttentionGradient, ReachesALearnedBiasWithEverythingElseFrozen) {
  Position position{map_of(IndexClass::line, 1, 2), {}};
  position.terms.score = at::zeros({1, 2}, kDouble).requires_grad_();
  const Tensor zeros = at::zeros({1, 1, 2, 1}, kDouble);
  const Tensor v = at::tensor({1., 0.}, kDouble).view({1, 1, 2, 1});
  attention(zeros.narrow(2, 0, 1), zeros, v, {position}, {}).out.sum().backward();
  EXPECT_LT(distance(position.terms.score.grad(), at::tensor({0.25, -0.25}, kDouble).view({1, 2})),
            1e-12);
}

// Seen elsewhere: a learned bias without gradient.
TEST(AttentionGradient, OfABiasIsSummedOverBatchAndSharedHeads) {
  Tensor table = at::zeros({1, 2}, kDouble).requires_grad_();
  Position position{map_of(IndexClass::line, 1, 2), {.score = table.expand({2, 2})}};
  const Tensor zeros = at::zeros({3, 2, 2, 1}, kDouble);
  const Tensor v = at::tensor({1., 0.}, kDouble).view({1, 1, 2, 1}).expand({3, 2, 2, 1});
  attention(zeros.narrow(2, 0, 1), zeros, v, {position}, {}).out.sum().backward();
  EXPECT_LT(distance(table.grad(), at::tensor({1.5, -1.5}, kDouble).view({1, 2})), 1e-12);
}

// Seen elsewhere: dropout left on in evaluation.
TEST(AttentionDropout, IsOffAtZeroAndLeavesTheRandomStateAlone) {
  const Tensor zeros = at::zeros({1, 1, 4, 2}), v = at::ones({1, 1, 4, 1});
  at::manual_seed(5);
  const Tensor expected = at::rand({3});
  at::manual_seed(5);
  for (int repeat = 0; repeat < 3; ++repeat) {
    EXPECT_TRUE(at::equal(attention(zeros, zeros, v, {}, {}).out, at::ones({1, 1, 4, 1})));
  }
  EXPECT_TRUE(at::equal(at::rand({3}), expected));
  at::manual_seed(5);
  const auto dropped = attention(zeros, zeros, v, {}, {.dropout = 0.5, .return_weights = true});
  EXPECT_FALSE(at::equal(dropped.out, at::ones({1, 1, 4, 1})));
  EXPECT_LT(distance(dropped.weights, at::full({1, 1, 4, 4}, 0.25)), 1e-7);
}

// Seen elsewhere: a bias added in cross-attention.
TEST(AttentionCross, HasNoPositionTermWithoutARelation) {
  EXPECT_LT(distance(weights_of(2, 7, {}), at::full({2, 7}, 1.0 / 7, kDouble)), 1e-12);
}

// Seen elsewhere: the scale left out, or applied twice.
TEST(AttentionScale, IsOneOverRootOfHeadWidthUnlessNamed) {
  // Head width 4, q.k = 8 against a key of score 0: the logit is ln(weight / other weight).
  const Tensor q = at::full({1, 1, 1, 4}, 2.0, kDouble);
  const Tensor k = at::stack({at::ones({4}, kDouble), at::zeros({4}, kDouble)}).view({1, 1, 2, 4});
  const auto logit = [&](AttentionOptions options, const std::vector<Position>& positions) {
    options.return_weights = true;
    const Tensor w = attention(q, k, k, positions, options).weights[0][0][0];
    return (w[0] / w[1]).log().item<double>();
  };
  EXPECT_NEAR(logit({}, {}), 4.0, 1e-9);
  EXPECT_NEAR(logit({.scale = 1.0}, {}), 8.0, 1e-9);
  const Position three_terms{map_of(IndexClass::line, 1, 2), {.scale_terms = 2}};
  EXPECT_NEAR(logit({}, {three_terms}), 8.0 / std::sqrt(12.0), 1e-9);
}

TEST(AttentionLengthScale, OfTheTrainedSizeChangesNothing) {
  const auto [q, k, v] = random_inputs(1, 6);
  const Tensor plain = attention(q, k, v, {}, {}).out;
  EXPECT_LT(distance(attention(q, k, v, {}, {.length_scale_keys = 6}).out, plain), 1e-12);
  EXPECT_GT(distance(attention(q, k, v, {}, {.length_scale_keys = 3}).out, plain), 1e-3);
}

TEST(AttentionTypes, LowPrecisionIsWithinItsOwnRounding) {
  const auto [q, k, v] = random_inputs(31, 33);
  const Position position = random_position(IndexClass::line, 31, 33, kScore | kKey | kValue);
  const Tensor exact = attention(q, k, v, {position}, {}).out;
  for (const auto type : {at::kFloat, at::kBFloat16, at::kHalf}) {
    const Tensor rounded = attention(q.to(type), k.to(type), v.to(type), {position}, {}).out;
    EXPECT_EQ(rounded.scalar_type(), type);
    // One rounding of every input and of the output; values of size 3 at most.
    const double unit = type == at::kFloat ? 6e-8 : type == at::kHalf ? 4.9e-4 : 3.9e-3;
    EXPECT_LT(distance(rounded, exact), 20 * unit) << toString(type);
  }
}

TEST(AttentionInput, DisagreementsAreNamedWithBothValues) {
  const Tensor q = at::zeros({1, 1, 2, 32}), k = at::zeros({1, 1, 2, 64});
  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message([&] { attention(q, k, k, {}, {}); }),
            "key width 64 differs from query width 32");
  EXPECT_EQ(message([&] { attention(q, q, q.narrow(2, 0, 1), {}, {}); }),
            "value tokens 1 differs from key tokens 2");
  EXPECT_EQ(message([&] {
              attention(q, q, q, {}, {.mask = at::zeros({1, 1, 2, 2})});
            }),
            "mask has type Float, bool expected (true = may attend)");
  EXPECT_EQ(message([&] {
              attention(q, q, q, {}, {.mask = at::ones({1, 1, 3, 2}, at::kBool)});
            }),
            "mask has shape [1, 1, 3, 2], [1 or 1, 1 or 1, 2, 2] expected");
  EXPECT_EQ(message([&] {
              attention(q, q, q, {{map_of(IndexClass::line, 2, 3), {}}}, {});
            }),
            "keys of the relation 3 differs from key tokens 2");
}

}  // namespace
}  // namespace relbias::encodings
