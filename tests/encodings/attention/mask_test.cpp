// SPDX-License-Identifier: Apache-2.0
// tests: parts of a mask by definition, pair by pair; what does not fit is named; weights and
// backends where they are asked for.
#include "encodings/attention/mask.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "encodings/attention/backend.h"
#include "modalities/seed.h"
#include "tests/encodings/gradients.h"
#include "tests/error_of.h"

namespace relbias::encodings {
namespace {

using ::testing::HasSubstr;

Tensor random(at::IntArrayRef shape, uint64_t seed) {
  at::Generator generator = stream(seed, "masks");
  return at::empty(shape, at::kDouble).normal_(0, 1, generator);
}

struct Parts {
  bool causal = false, valid = false, groups = false;
  int64_t window = 0;
};

const std::vector<int64_t> group_of{0, 1, 0, -1, 1};

AttentionOptions options_of(const Parts& parts) {
  AttentionOptions options{.causal = parts.causal, .window = parts.window};
  if (parts.valid) {
    options.valid_keys = at::ones({2, 5}, at::kBool);
    options.valid_keys[0].narrow(0, 3, 2).fill_(false);  // padding on the right, on the left
    options.valid_keys[1].narrow(0, 0, 1).fill_(false);
  }
  if (parts.groups) options.groups = at::tensor(group_of, at::kLong);
  return options;
}

// By definition: query i of 3 is token i + 2 of 5.
bool may_attend(const Parts& parts, int64_t b, int64_t i, int64_t j) {
  const int64_t token = i + 2;
  if (parts.causal && j > token) return false;
  if (parts.window > 0 && std::abs(j - token) >= parts.window) return false;
  if (parts.valid && (b == 0 ? j >= 3 : j == 0)) return false;
  const int64_t mine = group_of[static_cast<size_t>(token)], its = group_of[static_cast<size_t>(j)];
  return !parts.groups || mine == its || mine < 0 || its < 0;
}

TEST(MaskParts, AreTheirDefinitionAloneAndTogether) {
  for (int set = 0; set < 16; ++set) {
    const Parts parts{(set & 1) != 0, (set & 2) != 0, (set & 4) != 0, (set & 8) != 0 ? 2 : 0};
    const AttentionOptions options = options_of(parts);
    const Tensor found = allowed_pairs(3, 5, options, at::kCPU);
    EXPECT_EQ(found.defined(), set != 0);
    Tensor expected = at::ones({2, 1, 3, 5}, at::kBool);
    for (int64_t b = 0; b < 2; ++b) {
      for (int64_t i = 0; i < 3; ++i) {
        for (int64_t j = 0; j < 5; ++j) expected[b][0][i][j] = may_attend(parts, b, i, j);
      }
    }
    if (found.defined()) {
      EXPECT_TRUE(at::equal(found.expand_as(expected), expected)) << set;
    }
    // The same numbers as with the matrix of pairs that they mean.
    const Tensor q = random({2, 2, 3, 4}, 1), k = random({2, 2, 5, 4}, 2),
                 v = random({2, 2, 5, 4}, 3);
    EXPECT_LT(distance(attention(q, k, v, {}, options).out,
                       attention(q, k, v, {}, {.mask = expected}).out),
              1e-12)
        << set;
  }
}

TEST(MaskParts, PaddingOfAnyContentReachesNothing) {
  const AttentionOptions options = options_of({.valid = true});
  Tensor q = random({2, 2, 3, 4}, 1), k = random({2, 2, 5, 4}, 2), v = random({2, 2, 5, 4}, 3);
  const Tensor plain = attention(q, k, v, {}, options).out;
  for (Tensor* x : {&k, &v}) x->select(0, 0).narrow(1, 3, 2).fill_(NAN);
  EXPECT_TRUE(at::equal(attention(q, k, v, {}, options).out, plain));
}

TEST(MaskParts, WhatDoesNotFitIsNamed) {
  const Tensor q = random({2, 2, 3, 4}, 1), k = random({2, 2, 5, 4}, 2);
  const auto message = [&](const AttentionOptions& options) {
    return error_of([&] { attention(q, k, k, {}, options); });
  };
  EXPECT_THAT(message({.valid_keys = at::ones({2, 3}, at::kBool)}),
              HasSubstr("valid keys have shape [2, 3], [2 or 1, 5] expected"));
  EXPECT_THAT(message({.valid_keys = at::ones({2, 5})}), HasSubstr("type Float, bool expected"));
  EXPECT_THAT(message({.groups = at::zeros({3}, at::kLong)}),
              HasSubstr("groups of tokens have shape [3], [5] expected"));
  EXPECT_THAT(message({.window = -1}), HasSubstr("window -1 found"));
  EXPECT_THAT(error_of([&] { attention(k, q, q, {}, {.window = 2}); }),
              HasSubstr("5 queries and 3 keys found"));
}

TEST(AttentionWeights, AreThereWhereTheyAreAskedFor) {
  const Tensor x = random({1, 1, 3, 2}, 1);
  EXPECT_FALSE(attention(x, x, x, {}, {}).weights.defined());
  const auto asked = attention(x, x, x, {}, {.return_weights = true});
  EXPECT_LT(distance(at::matmul(asked.weights, x), asked.out), 1e-12);
}

TEST(AttentionBackends, SayWhatTheyCanBeforeTheyCompute) {
  const Tensor x = random({1, 1, 3, 2}, 1);
  EXPECT_EQ(attention_backends().front().backend, Backend::reference);
  EXPECT_EQ(backend_for(x, x, x, {}, {}).name, "reference");
  for (const auto& backend : attention_backends()) {
    AttentionOptions options{.backend = backend.backend};
    const auto reason = backend.refuses(x, x, x, {}, options);
    if (reason) {
      EXPECT_THAT(error_of([&] { attention(x, x, x, {}, options); }), HasSubstr(*reason));
    } else {
      EXPECT_EQ(attention(x, x, x, {}, options).backend, backend.backend);
    }
    EXPECT_GE(backend.bytes(x, x, x, {}, options), 0) << backend.name;
  }
}

// Tables of the algebra, wrong in each dimension: named with both shapes.
TEST(AttentionTables, AreCheckedInEveryDimension) {
  const Tensor q = random({1, 2, 3, 4}, 1), v = random({1, 2, 3, 6}, 2);
  RelationMap map;
  map.queries = map.keys = 3;
  map.rows = 5;
  const auto message = [&](const Terms& terms) {
    return error_of([&] { attention(q, q, v, {{map, terms}}, {}); });
  };
  EXPECT_EQ(message({.value = random({2, 5, 6}, 3)}), "no error");
  EXPECT_THAT(message({.value = random({2, 5, 4}, 3)}),
              HasSubstr("value table has shape [2, 5, 4], [2, 5, 6] expected"));
  EXPECT_THAT(message({.key = random({2, 5, 6}, 3)}), HasSubstr("[2, 5, 4] expected"));
  EXPECT_THAT(message({.query = random({2, 5}, 3)}), HasSubstr("query table has shape [2, 5]"));
  EXPECT_THAT(message({.score = random({2, 4}, 3)}), HasSubstr("[2, 5] expected: heads, rows"));
  EXPECT_THAT(message({.content_bias = random({2, 6}, 3)}), HasSubstr("[2, 4] expected"));
  EXPECT_THAT(message({.position_bias = random({1, 4}, 3)}), HasSubstr("[2, 4] expected"));
  Terms turned;
  turned.rotation = Rotation{.query_cos = random({1, 1, 3, 2}, 4),
                             .query_sin = random({1, 1, 3, 2}, 4),
                             .key_cos = random({1, 1, 2, 2}, 4),
                             .key_sin = random({1, 1, 3, 2}, 4)};
  EXPECT_THAT(message(turned), HasSubstr("rotation of the key has shape [1, 1, 2, 2]"));
  map.index_class = IndexClass::pairs;
  map.index = at::zeros({1, 3, 2}, at::kByte);
  EXPECT_THAT(message({}), HasSubstr("ids of the relation have shape [1, 3, 2], [1, 3, 3]"));
}

}  // namespace
}  // namespace relbias::encodings
