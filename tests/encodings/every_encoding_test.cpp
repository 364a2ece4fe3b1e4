// SPDX-License-Identifier: Apache-2.0
// tests: properties of every encoding in the catalogue on every relation; a new file is tested here
// without a test of its own.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "encodings/attention/attention.h"
#include "modalities/seed.h"
#include "tests/encodings/gradients.h"
#include "tests/encodings/relation_cases.h"

namespace relbias::encodings {
namespace {

Tensor random(at::IntArrayRef shape, uint64_t seed) {
  at::Generator generator = stream(seed, "every encoding");
  return at::empty(shape, at::kDouble).normal_(0, 1, generator);
}

struct Inputs {
  Tensor q, k, v;  // [2, 2, n, D]
};

Inputs random_inputs(int64_t queries, int64_t keys, int64_t width) {
  const Tensor q = random({2, 2, keys, width}, 1);  // the last queries of the full pass
  return {q.narrow(2, keys - queries, queries).clone(), random({2, 2, keys, width}, 2),
          random({2, 2, keys, width}, 3)};
}

class EveryEncoding : public ::testing::TestWithParam<EncodingCase> {
 protected:
  RelationCase relation_ = relation_case(GetParam().relation);
  const EncodingEntry& entry_ = find_entry("encoding", GetParam().encoding, encoding_entries());

  bool is_line() const { return relation_.traits.index_class == IndexClass::line; }

  // A pass through the encoding: token embeddings where it adds to them, else attention.
  Tensor pass(Encoding& encoding, const Inputs& inputs, const RelationMap& map,
              const AttentionOptions& options) {
    if (!entry_.on_tokens) {
      return attention(inputs.q, inputs.k, inputs.v, {{map, encoding.terms(map)}}, options).out;
    }
    const Tensor embeddings = inputs.k.transpose(1, 2).flatten(2);  // [B, N, C]
    return encoding.tokens(embeddings, map);
  }
};

TEST_P(EveryEncoding, SaysWhatItIs) {
  EXPECT_FALSE(entry_.formula.empty());
  EXPECT_FALSE(entry_.source.empty());
  EXPECT_FALSE(entry_.initial.empty());
  for (const auto& option : encoding_options(entry_))
    EXPECT_FALSE(option.meaning.empty()) << option.name;
}

TEST_P(EveryEncoding, GradientsByFiniteDifferences) {
  for (const bool causal : {true, false}) {
    if (undefined_reason(parse_encoding(entry_.name), relation_.name,
                         context_for(relation_, causal)))
      continue;
    const auto encoding = random_encoding(entry_.name, relation_, causal);
    const int64_t n = relation_.tokens;
    const RelationMap map = relation_.map(n, n);
    Inputs inputs = random_inputs(n, n, relation_.head_width);
    const Tensor cotangent = random(pass(*encoding, inputs, map, {}).sizes(), 4);
    const auto loss = [&] {
      return (pass(*encoding, inputs, map, {.causal = causal}) * cotangent).sum();
    };
    std::vector<std::pair<std::string, Tensor>> parameters;
    for (auto& parameter : encoding->named_parameters()) {
      parameters.emplace_back(parameter.key(), parameter.value());
    }
    if (!parameters.empty()) expect_gradients(loss, parameters);  // q, k, v frozen
    for (const auto& [name, parameter] : parameters) {
      EXPECT_GT(parameter.grad().abs().max().item<double>(), 0) << name << " does nothing";
    }
    std::vector<std::pair<std::string, Tensor>> all = parameters;
    if (!entry_.on_tokens) all.emplace_back("q", inputs.q.requires_grad_());
    all.emplace_back("k", inputs.k.requires_grad_());
    if (!entry_.on_tokens) all.emplace_back("v", inputs.v.requires_grad_());
    expect_gradients(loss, all);
  }
}

// Seen elsewhere: a cached query taken for the first token.
TEST_P(EveryEncoding, CachedEqualsFull) {
  if (!is_line() || entry_.on_tokens) GTEST_SKIP() << "a cache on a line, met by attention";
  const auto encoding = random_encoding(entry_.name, relation_, true);
  const int64_t n = relation_.tokens;
  const Tensor full = pass(*encoding, random_inputs(n, n, relation_.head_width),
                           relation_.map(n, n), {.causal = true});
  for (int64_t keys = 1; keys <= n; ++keys) {
    for (int64_t queries = 1; queries <= std::min<int64_t>(keys, 2); ++queries) {
      Inputs inputs = random_inputs(n, n, relation_.head_width);
      inputs = {inputs.q.narrow(2, keys - queries, queries), inputs.k.narrow(2, 0, keys),
                inputs.v.narrow(2, 0, keys)};
      const Tensor step = pass(*encoding, inputs, relation_.map(queries, keys), {.causal = true});
      EXPECT_LT(distance(step, full.narrow(2, keys - queries, queries)), 1e-9)
          << queries << " queries, " << keys << " keys";
    }
  }
}

// Seen elsewhere: positions wrong under padding on the left.
TEST_P(EveryEncoding, PaddingOnEitherSideChangesNothing) {
  if (!is_line() || entry_.on_tokens) GTEST_SKIP() << "padding on a line, met by attention";
  const int64_t n = relation_.tokens, real = n - 2;
  const auto encoding = random_encoding(entry_.name, relation_, true);
  for (const int64_t left : {0, 2}) {
    const Inputs padded = random_inputs(n, n, relation_.head_width);
    const auto part = [&](const Tensor& x) { return x.narrow(2, left, real); };
    const Tensor plain = pass(*encoding, {part(padded.q), part(padded.k), part(padded.v)},
                              relation_.map(real, real), {.causal = true});
    Tensor mask = at::zeros({1, 1, n, n}, at::kBool);
    mask.narrow(3, left, real).fill_(true);
    const Tensor out = pass(*encoding, padded, relation_.map(n, n), {.causal = true, .mask = mask});
    EXPECT_LT(distance(part(out), plain), 1e-9) << left << " padded tokens on the left";
  }
}

TEST_P(EveryEncoding, RelabelledTokensGiveRelabelledOutputs) {
  if (relation_.traits.index_class != IndexClass::pairs || entry_.on_tokens) {
    GTEST_SKIP() << "pairs of ids, met by attention";
  }
  const auto encoding = random_encoding(entry_.name, relation_, false);
  const int64_t n = relation_.tokens;
  const RelationMap map = relation_.map(n, n);
  const Inputs inputs = random_inputs(n, n, relation_.head_width);
  at::Generator generator = stream(8, "permutation");
  const Tensor order = at::randperm(n, generator);
  RelationMap permuted = map;
  const auto both = [&](const Tensor& x) {
    return x.defined() ? x.index_select(1, order).index_select(2, order) : x;
  };
  const auto one = [&](const Tensor& x) { return x.defined() ? x.index_select(1, order) : x; };
  permuted.index = both(map.index);
  permuted.features = both(map.features);
  permuted.query_coordinates = one(map.query_coordinates);
  permuted.key_coordinates = one(map.key_coordinates);
  const Inputs moved{inputs.q.index_select(2, order), inputs.k.index_select(2, order),
                     inputs.v.index_select(2, order)};
  EXPECT_LT(distance(pass(*encoding, moved, permuted, {}),
                     pass(*encoding, inputs, map, {}).index_select(2, order)),
            1e-9);
}

// Seen elsewhere: dynamic NTK that one long input changes for good.
TEST_P(EveryEncoding, KeepsNoStateAcrossCalls) {
  if (!is_line()) GTEST_SKIP() << "sizes of a line";
  const auto encoding = random_encoding(
      entry_.name + " past_range=" +
          std::get<std::string>(encoding_options(entry_).at(entry_.options.size()).value),
      relation_, true);
  const int64_t n = relation_.tokens;
  const auto run = [&](int64_t size) {
    if (encoding->undefined_at(relation_.map(size, size))) return at::zeros({1});
    return pass(*encoding, random_inputs(size, size, relation_.head_width),
                relation_.map(size, size), {.causal = true});
  };
  const Tensor longer = run(2 * n), shorter = run(n);
  EXPECT_TRUE(at::equal(run(2 * n), longer));
  EXPECT_TRUE(at::equal(run(n), shorter));
}

// Seen elsewhere: tables rounded to bfloat16.
TEST_P(EveryEncoding, TablesStayFloat32InABfloat16Model) {
  const auto encoding = make_encoding(parse_encoding(entry_.name), relation_.name,
                                      context_for(relation_, true), Initialiser(3));
  const RelationMap map = relation_.map(relation_.tokens, relation_.tokens);
  const Inputs inputs = random_inputs(relation_.tokens, relation_.tokens, relation_.head_width);
  const Inputs single{inputs.q.to(at::kFloat), inputs.k.to(at::kFloat), inputs.v.to(at::kFloat)};
  const Tensor before = pass(*encoding, single, map, {.causal = true});
  encoding->to(at::kBFloat16);
  for (const auto& parameter : encoding->parameters())
    EXPECT_EQ(parameter.scalar_type(), at::kFloat);
  EXPECT_TRUE(at::equal(pass(*encoding, single, map, {.causal = true}), before));
  const Inputs low{inputs.q.to(at::kBFloat16), inputs.k.to(at::kBFloat16),
                   inputs.v.to(at::kBFloat16)};
  const Tensor out = pass(*encoding, low, map, {.causal = true});
  EXPECT_EQ(out.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(at::isfinite(out).all().item<bool>());
}

TEST_P(EveryEncoding,
       RunsWhereTheTensorsAre) {  // a CPU tensor in between would be an error on meta
  const auto encoding = make_encoding(parse_encoding(entry_.name), relation_.name,
                                      context_for(relation_, true), Initialiser(3, at::kMeta));
  const RelationMap map = relation_.map(relation_.tokens, relation_.tokens).to(at::kMeta);
  const Inputs inputs = random_inputs(relation_.tokens, relation_.tokens, relation_.head_width);
  const Inputs meta{inputs.q.to(at::kMeta), inputs.k.to(at::kMeta), inputs.v.to(at::kMeta)};
  EXPECT_TRUE(pass(*encoding, meta, map, {.causal = true}).is_meta());
}

TEST_P(EveryEncoding, EveryPastRangeGivesNumbersOrAReason) {
  if (!is_line()) GTEST_SKIP() << "sizes of a line";
  const int64_t size = 2 * relation_.tokens;
  for (const PastRange range : entry_.past_range) {
    const char* words[] = {"extend", "clamp", "interpolate", "undefined"};
    const std::string word = words[static_cast<int>(range)];
    const auto encoding = random_encoding(entry_.name + " past_range=" + word, relation_, true);
    const RelationMap map = relation_.map(size, size);
    if (range == PastRange::undefined) {
      ASSERT_TRUE(encoding->undefined_at(map).has_value());
      EXPECT_NE(encoding->undefined_at(map)->find("12"), std::string::npos);
      EXPECT_THROW(pass(*encoding, random_inputs(size, size, relation_.head_width), map, {}),
                   InputError);
      continue;
    }
    EXPECT_FALSE(encoding->undefined_at(map).has_value());
    const Tensor out =
        pass(*encoding, random_inputs(size, size, relation_.head_width), map, {.causal = true});
    EXPECT_TRUE(at::isfinite(out).all().item<bool>()) << word;
  }
}

TEST_P(EveryEncoding, AlphaMultipliesTheWholeTerm) {
  if (!entry_.has_factor) {
    EXPECT_THROW(parse_encoding(entry_.name + " alpha=0.1"), InputError);
    return;
  }
  const auto build = [&](const std::string& options) {
    return make_encoding(parse_encoding(entry_.name + options), relation_.name,
                         context_for(relation_, true), Initialiser(3));
  };
  const auto plain = build(""), scaled = build(" alpha=0.5");
  EXPECT_EQ(scaled->parameters().size(), plain->parameters().size() + 1);
  const RelationMap map = relation_.map(relation_.tokens, relation_.tokens);
  if (entry_.on_tokens) {
    const Tensor zeros = at::zeros({1, relation_.tokens, 2 * relation_.head_width});
    EXPECT_LT(distance(scaled->tokens(zeros, map), plain->tokens(zeros, map) * 0.5), 1e-6);
    return;
  }
  const Terms full = plain->terms(map), half = scaled->terms(map);
  const auto expect_half = [](const Tensor& whole, const Tensor& part) {
    if (whole.defined()) {
      EXPECT_LT(distance(part, whole * 0.5), 1e-6);
    }
  };
  expect_half(full.score, half.score);
  expect_half(full.key, half.key);
  expect_half(full.query, half.query);
  expect_half(full.value, half.value);
  ASSERT_EQ(full.dense != nullptr, half.dense != nullptr);
  if (!full.dense) return;
  const Inputs inputs = random_inputs(map.queries, map.keys, relation_.head_width);
  const Tensor q = inputs.q.to(at::kFloat), k = inputs.k.to(at::kFloat);
  const Tensor allowed = allowed_pairs(map.queries, map.keys, {.causal = true}, at::kCPU);
  const Tensor whole = full.dense(q, k, allowed);
  EXPECT_GT(whole.masked_fill(allowed.logical_not(), 0).abs().max().item<double>(), 0);
  expect_half(whole, half.dense(q, k, allowed));
}

TEST_P(EveryEncoding, InitialTablesFollowInitStdAndPerHead) {
  if (!entry_.init_std || !entry_.per_head) GTEST_SKIP() << "no tables of its own for each head";
  const auto build = [&](const std::string& options) {
    return make_encoding(parse_encoding(entry_.name + options), relation_.name,
                         context_for(relation_, true), Initialiser(3));
  };
  const RelationMap map = relation_.map(relation_.tokens, relation_.tokens);
  const Terms shared = build(" per_head=false")->terms(map);
  const Terms own = build(" per_head=true")->terms(map);
  for (auto table : {&Terms::score, &Terms::key, &Terms::query, &Terms::value}) {
    if (!(shared.*table).defined()) continue;
    EXPECT_TRUE(at::equal((shared.*table)[0], (shared.*table)[1]));
    const Tensor& found = own.*table;
    if (found.abs().max().item<double>() == 0) continue;  // special ids start at zero in every head
    EXPECT_FALSE(at::equal(found[0], found[1]));
  }
  const auto larger = build(" init_std=0.5"), smaller = build(" init_std=0.05");
  double ratio = 0;
  for (auto& parameter : larger->named_parameters()) {
    const Tensor other = smaller->named_parameters()[parameter.key()];
    if (other.abs().max().item<double>() > 0) {
      ratio = (parameter.value().abs().max() / other.abs().max()).item<double>();
    }
  }
  EXPECT_NEAR(ratio, 10.0, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryEncoding, ::testing::ValuesIn(defined_cases()),
                         [](const auto& test) { return case_name(test.param); });

TEST(EveryEncodingMatrix, WhatIsUndefinedSaysWhy) {
  int undefined = 0;
  for (const auto& relation : relation_cases()) {
    for (const auto& entry : encoding_entries()) {
      const auto context = context_for(relation, false);
      const auto reason = undefined_reason(parse_encoding(entry.name), relation.name, context);
      if (!reason) continue;
      ++undefined;
      EXPECT_GT(reason->size(), 20u) << *reason;
      EXPECT_THROW(
          make_encoding(parse_encoding(entry.name), relation.name, context, Initialiser(1)),
          InputError);
    }
  }
  EXPECT_GT(undefined, 0);
}

}  // namespace
}  // namespace relbias::encodings
