// SPDX-License-Identifier: Apache-2.0
// tests: the fused kernel against the reference in float64: every encoding on every relation, odd
// sizes, Q != K, every kind of mask, and what lies behind masks.
#include "encodings/attention/fused/fused.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>

#include <limits>

#include "modalities/seed.h"
#include "tests/encodings/attention/fused_budget.h"
#include "tests/encodings/gradients.h"
#include "tests/encodings/relation_cases.h"
#include "tests/error_of.h"

namespace relbias::encodings {
namespace {

using ::testing::HasSubstr;

Tensor random(at::IntArrayRef shape, uint64_t seed) {
  at::Generator generator = stream(seed, "fused");
  return at::empty(shape, at::kDouble).normal_(0, 1, generator);
}

std::vector<Tensor> random_inputs(int64_t queries, int64_t keys, int64_t width) {
  return {random({2, 2, queries, width}, 1), random({2, 2, keys, width}, 2),
          random({2, 2, keys, width}, 3)};
}

// Every part of a mask, alone and all together, where keys stand for the queries too.
std::vector<std::pair<const char*, AttentionOptions>> masks(int64_t queries, int64_t keys) {
  Tensor padded = at::ones({2, keys}, at::kBool), holes = padded.clone();
  padded[0].narrow(0, 0, keys / 3).fill_(false);                // before the first sample
  padded[1].narrow(0, keys - keys / 2, keys / 2).fill_(false);  // behind the second
  holes.narrow(1, keys / 4, keys / 4).fill_(false);
  const Tensor empty = at::stack({padded[0], at::zeros({keys}, at::kBool)});
  Tensor pairs = random({2, 1, queries, keys}, 7) > -0.3;
  pairs.select(2, queries / 2).fill_(false);
  pairs.select(3, keys / 2).fill_(false);
  const Tensor groups = at::arange(keys).div(5, "floor").remainder(3) - 1;
  std::vector<std::pair<const char*, AttentionOptions>> all{
      {"none", {}},
      {"causal", {.causal = true}},
      {"padding", {.valid_keys = padded}},
      {"padding of both alike", {.valid_keys = padded.narrow(0, 1, 1)}},
      {"a sample of padding alone", {.valid_keys = empty}},
      {"holes", {.valid_keys = holes}},
      {"pairs", {.mask = pairs}},
      {"padding, causal", {.causal = true, .valid_keys = padded}},
      {"pairs, holes, causal", {.causal = true, .mask = pairs, .valid_keys = holes}},
  };
  if (queries > keys) return all;  // a window needs a place for each query
  all.push_back({"window", {.window = 3}});
  all.push_back({"groups", {.groups = groups}});
  all.push_back({"window, padding, causal", {.causal = true, .valid_keys = padded, .window = 4}});
  all.push_back({"all",
                 {.causal = true,
                  .mask = pairs,
                  .valid_keys = holes,
                  .window = keys / 2 + 1,
                  .groups = groups}});
  return all;
}

class FusedEncoding : public ::testing::TestWithParam<EncodingCase> {};

TEST_P(FusedEncoding, EqualsTheReference) {
  const RelationCase relation = relation_case(GetParam().relation);
  const EncodingEntry& entry = find_entry("encoding", GetParam().encoding, encoding_entries());
  if (entry.on_tokens) return;  // is no part of attention
  std::vector<std::pair<int64_t, int64_t>> sizes{{relation.tokens, relation.tokens}};
  if (relation.traits.index_class == IndexClass::line)
    sizes.insert(sizes.end(), {{1, 1}, {2, 31}, {127, 127}, {70, 900}});
  for (const bool causal : {true, false}) {
    if (undefined_reason(parse_encoding(entry.name), relation.name, context_for(relation, causal)))
      continue;
    const auto encoding = random_encoding(entry.name, relation, causal);
    for (const auto& [queries, keys] : sizes) {
      const RelationMap map = relation.map(queries, keys);
      if (encoding->undefined_at(map)) continue;
      const auto qkv = random_inputs(queries, keys, relation.head_width);
      const std::vector<Position> positions{{map, encoding->terms(map)}};
      for (const std::optional<int64_t> scale_keys : {std::optional<int64_t>(), {5}}) {
        SCOPED_TRACE(fmt::format("{} queries, {} keys, causal {}, scaled by length {}", queries,
                                 keys, causal, scale_keys.has_value()));
        AttentionOptions options{.causal = causal, .length_scale_keys = scale_keys};
        const bool refused = fused_refuses(qkv[0].to(at::kFloat), qkv[1].to(at::kFloat),
                                           qkv[2].to(at::kFloat), positions, options)
                                 .has_value();
        EXPECT_EQ(refused, positions[0].terms.dense != nullptr ||
                               (positions[0].terms.query.defined() &&
                                !positions[0].terms.table_rows.defined()));
        if (refused) continue;
        expect_fused_within_budget(qkv, positions, options);
        if (keys < 3) continue;
        options.valid_keys = at::ones({2, keys}, at::kBool);
        options.valid_keys[1].narrow(0, 0, keys / 3).fill_(false);
        expect_fused_within_budget(qkv, positions, options);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, FusedEncoding, ::testing::ValuesIn(defined_cases()),
                         [](const auto& info) { return case_name(info.param); });

// One score table, ids of each class and each width.
std::vector<std::pair<const char*, Position>> tables(int64_t queries, int64_t keys) {
  std::vector<std::pair<const char*, Position>> all;
  const auto add = [&](const char* name, IndexClass index_class, int64_t rows, const Tensor& ids) {
    Position position;
    position.relation.index_class = index_class;
    position.relation.queries = queries;
    position.relation.keys = keys;
    position.relation.rows = rows;
    position.relation.index = ids;
    position.terms.score = random({2, rows}, 5);
    all.emplace_back(name, position);
  };
  const auto ids = [&](int64_t samples, int64_t rows) {
    at::Generator generator = stream(6, "ids");
    return at::empty({samples, queries, keys}, at::kLong).random_(0, rows, generator);
  };
  add("line", IndexClass::line, queries + keys - 1, {});
  add("grid", IndexClass::grid, 300, ids(1, 300)[0].to(at::kInt));
  add("pairs in registers", IndexClass::pairs, 37, ids(2, 37).to(at::kByte));
  add("pairs of a byte", IndexClass::pairs, 200, ids(2, 200).to(at::kByte));
  add("pairs of two bytes", IndexClass::pairs, 700, ids(2, 700).to(at::kUInt16));
  add("pairs of eight bytes, one for all", IndexClass::pairs, 9, ids(1, 9));
  return all;
}

TEST(Fused, EveryMaskOnEveryIndexClass) {
  for (const auto& [queries, keys] : std::vector<std::pair<int64_t, int64_t>>{
           {33, 33}, {3, 40}, {40, 17}, {127, 127}, {66, 1700}}) {
    const auto qkv = random_inputs(queries, keys, 8);
    for (const auto& [mask, options] : masks(queries, keys)) {
      SCOPED_TRACE(fmt::format("{} queries, {} keys, mask {}", queries, keys, mask));
      expect_fused_within_budget(qkv, {}, options);
      for (const auto& [name, position] : tables(queries, keys)) {
        SCOPED_TRACE(name);
        expect_fused_within_budget(qkv, {position}, options);
      }
    }
  }
}

TEST(Fused, OddShapes) {
  for (const int64_t width : {8, 20, 32, 64, 100, 256}) {
    for (const auto& [queries, keys] :
         std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {2, 2}, {31, 2}, {33, 127}, {200, 800}}) {
      SCOPED_TRACE(fmt::format("width {}, {} queries, {} keys", width, queries, keys));
      auto qkv = random_inputs(queries, keys, width);
      qkv[2] = random({2, 2, keys, width + 3}, 8);
      expect_fused_within_budget(qkv, {}, {});
      expect_fused_within_budget(qkv, {tables(queries, keys)[0].second}, {.causal = true});
    }
  }
}

// Past 2048 keys a row is in several blocks, and the gradient's mean over it rests on the output.
TEST(Fused, ManyBlocks) {
  const auto qkv = random_inputs(40, 2500, 16);
  for (const auto& [name, position] : tables(40, 2500)) {
    SCOPED_TRACE(name);
    expect_fused_within_budget(qkv, {position}, {}, 3);
    expect_fused_within_budget(qkv, {position}, {.causal = true, .window = 900}, 3);
  }
}

TEST(Fused, NothingOfNothing) {
  for (const auto& [batch, queries, keys] :
       std::vector<std::array<int64_t, 3>>{{0, 3, 3}, {2, 0, 3}, {2, 3, 0}}) {
    const auto x = [&, n = batch](int64_t tokens) {
      return random({n, 2, tokens, 8}, 1).to(at::kFloat);
    };
    const std::vector<Tensor> qkv{x(queries), x(keys), x(keys)};
    expect_fused_within_budget(qkv, {}, {});
  }
}

// Padding of any content reaches neither outputs nor gradients; queries without a key neither.
TEST(Fused, NotANumberBehindMasks) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [mask, options] : masks(37, 37)) {
    SCOPED_TRACE(mask);
    const Tensor allowed = allowed_pairs(37, 37, options, at::kCPU);
    if (!allowed.defined()) continue;
    auto qkv = random_inputs(37, 37, 8);
    const auto spoil = [&](Tensor& x, int64_t dim) {
      x = x.masked_fill(allowed.any(dim).bitwise_not().unsqueeze(-1), nan);
    };
    spoil(qkv[0], 3);
    spoil(qkv[1], 2);
    spoil(qkv[2], 2);
    for (const auto& [name, position] : tables(37, 37)) {
      SCOPED_TRACE(name);
      for (const Tensor& x : outcome_of(qkv, {position}, options, at::kFloat, Backend::fused)) {
        EXPECT_TRUE(at::isfinite(x).all().item<bool>());
      }
    }
  }
}

// A diverged model must be seen to be one: what is not finite is no number that looks right.
TEST(Fused, NotANumberStaysOne) {
  auto qkv = random_inputs(5, 40, 8);
  qkv[0].select(2, 2).fill_(std::numeric_limits<double>::quiet_NaN());
  for (const auto& [name, position] : tables(5, 40)) {
    SCOPED_TRACE(name);
    const auto outcome = outcome_of(qkv, {position}, {}, at::kFloat, Backend::fused);
    EXPECT_TRUE(at::isnan(outcome[0].select(2, 2)).all().item<bool>());
    EXPECT_TRUE(at::isfinite(outcome[0].select(2, 3)).all().item<bool>());
    EXPECT_TRUE(at::isnan(outcome[4]).any().item<bool>());
  }
}

TEST(Fused, IsTheSameForAnyNumberOfThreads) {
  const auto qkv = random_inputs(70, 70, 8);
  const int threads = at::get_num_threads();
  for (const auto& [name, position] : tables(70, 70)) {
    SCOPED_TRACE(name);
    const auto run = [&, &of = position](int count) {
      at::set_num_threads(count);
      return outcome_of(qkv, {of}, {.causal = true}, at::kFloat, Backend::fused);
    };
    const auto one = run(1), again = run(1), two = run(2), three = run(3);
    for (size_t n = 0; n < one.size(); ++n) {
      EXPECT_TRUE(at::equal(one[n], again[n])) << n;
      EXPECT_TRUE(at::equal(one[n], two[n])) << n;
      EXPECT_TRUE(at::equal(one[n], three[n])) << n;
    }
  }
  at::set_num_threads(threads);
}

TEST(Fused, RefusesWhatItCannot) {
  const Tensor x = at::zeros({1, 1, 2, 4}), wide = x.to(at::kDouble);
  const auto refusal = [](const Tensor& of, AttentionOptions options,
                          const std::vector<Position>& positions = {}) {
    options.backend = Backend::fused;
    return error_of([&] { attention(of, of, of, positions, options); });
  };
  EXPECT_EQ(refusal(wide, {}),
            "backend fused cannot compute this: it computes float32 and bfloat16, Double found; "
            "use backend auto or reference");
  EXPECT_THAT(refusal(x, {.dropout = 0.1}), HasSubstr("no dropout"));
  EXPECT_THAT(refusal(x, {.return_weights = true}), HasSubstr("never has the weights"));
  Position dense;
  dense.relation.queries = dense.relation.keys = 2;
  dense.terms.dense = [&](const Tensor&, const Tensor&, const Tensor&) { return x; };
  EXPECT_THAT(refusal(x, {}, {dense}), HasSubstr("matrix of all pairs"));
}

TEST(Fused, HoldsNoMatrixOfAllPairs) {
  const Tensor x = at::zeros({1, 4, 32768, 64});
  Position line;
  line.relation.queries = line.relation.keys = 32768;
  line.relation.rows = 2 * 32768 - 1;
  line.terms.score = at::zeros({4, line.relation.rows});
  EXPECT_LT(fused_bytes(x, x, x, {line}, {.causal = true}), int64_t{200} << 20);
}

}  // namespace
}  // namespace relbias::encodings
