// SPDX-License-Identifier: Apache-2.0
// tests/golden/text: attention against scaled_dot_product_attention of PyTorch, and biases given to
// it.
#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "tests/golden/golden_test.h"
#include "tests/golden/relations.h"

namespace relbias::golden {
namespace {

// A bias a pair as a score table with an id a pair. The pairs that it drops are in the mask.
Position given_bias(const Tensor& bias) {  // [B|1, 1|H, Q, K], H heads in the end
  const RelationMap map = pairs(at::zeros({bias.size(0), bias.size(2), bias.size(3), 1}));
  Terms terms;
  terms.score = bias.transpose(0, 1).flatten(1);
  return {map, terms};
}

class CausalMask : public GoldenTest {};

// Ours stands the last query at the last key. The package's `upper_left` is of one's own making.
TEST_P(CausalMask, IsThatOfTheLowerRight) {
  const int64_t queries = golden.integer("q_len"), keys = golden.integer("k_len");
  AttentionOptions options{.return_weights = true};
  options.causal = true;
  const Tensor ours = allowed_pairs(queries, keys, options, c10::Device(at::kCPU));
  EXPECT_TRUE(at::equal(ours[0][0], golden.read("out/lower_right").to(at::kBool)));
}
RELBIAS_GOLDEN_TESTS(CausalMask, cases("sdpa", "causal_bias/masks"));

class Sdpa : public GoldenTest {
 protected:
  // The case's mask of 2 to 4 dimensions as [B|1, 1|H, Q, K]; booleans are 0 and 1 there.
  Tensor mask_as_given(int64_t queries) const {
    Tensor mask = golden.read("in/attn_mask");
    while (mask.dim() < 4) mask = mask.unsqueeze(0);
    return for_every_query(mask, queries);
  }

  static Tensor top_left(int64_t queries, int64_t keys) {
    return at::ones({1, 1, queries, keys}, at::kBool).tril();
  }
};

TEST_P(Sdpa, EqualsThePackage) {
  const Tensor q = golden.in("q");
  const int64_t heads = q.size(1), queries = q.size(2);
  const auto shared = [&](const Tensor& x) { return x.repeat_interleave(heads / x.size(1), 1); };
  const Tensor k = shared(golden.in("k")), v = shared(golden.in("v"));
  AttentionOptions options{.return_weights = true};
  if (golden.has_option("scale")) options.scale = golden.real("scale");
  // Its is_causal counts from the upper left: a mask here.
  if (golden.has_option("is_causal")) options.mask = top_left(queries, k.size(2));
  std::vector<Position> positions;
  bool evens_out = false;  // quirk 7: what it makes of a row without a key
  if (golden.has("in/attn_mask")) {
    const Tensor given = mask_as_given(queries);
    const bool additive = given.scalar_type() != at::kLong;
    options.mask = additive ? allowed_where_kept(given) : given.to(at::kBool);
    if (additive) {
      const Tensor bias = given.masked_fill(options.mask.logical_not(), 0);
      positions.push_back(given_bias(bias.expand({-1, heads, -1, -1})));
      evens_out = given.min().item<double>() >= std::numeric_limits<float>::lowest();
    }
  }
  const auto result = evens_out
                          ? attention_with_even_rows({q, k, v}, positions, options, Masking::adds)
                          : attended(q, k, v, positions, options);
  expect({{"out", result.out}});
}

std::vector<CaseId> calls() {
  auto all = cases("sdpa");
  std::erase_if(all, [](const CaseId& id) {
    return id.group.starts_with("mha/") || id.group.starts_with("causal_bias/masks");
  });
  return all;
}
RELBIAS_GOLDEN_TESTS(Sdpa, calls());

class MultiheadAttention : public GoldenTest {};

TEST_P(MultiheadAttention, EqualsThePackage) {
  const int64_t heads = golden.integer("num_heads");
  const Tensor q = golden.in("q"), kv = golden.in("kv");
  const auto weights = golden.w("in_proj_weight").chunk(3),
             biases = golden.w("in_proj_bias").chunk(3);
  const auto project = [&](const Tensor& x, size_t part) {
    return split_heads(at::linear(x, weights[part], biases[part]), heads);
  };
  AttentionOptions options{.return_weights = true};
  const Tensor valid = golden.read("in/key_padding_mask") == 0;
  options.mask = for_every_query(valid.unsqueeze(1).unsqueeze(1), q.size(1));
  const Tensor bias = golden.read("in/attn_mask").unflatten(0, {-1, heads});
  const auto result =
      attended(project(q, 0), project(kv, 1), project(kv, 2), {given_bias(bias)}, options);
  expect({{"attn_weights", result.weights},
          {"out", at::linear(join_heads(result.out), golden.w("out_proj.weight"),
                             golden.w("out_proj.bias"))}});
}
RELBIAS_GOLDEN_TESTS(MultiheadAttention, cases("sdpa", "mha/"));

class GraphormerAttention : public GoldenTest {};

// Attention over nodes with a bias that is given; time-major.
TEST_P(GraphormerAttention, EqualsThePackage) {
  const int64_t heads = golden.integer("num_heads");
  const Tensor x = golden.in("x").transpose(0, 1), bias = golden.read("in/attn_bias");
  const auto project = [&](const Tensor& tokens, const std::string& name) {
    return at::linear(tokens, golden.w(name + ".weight"), golden.w(name + ".bias"));
  };
  const auto heads_of = [&](const char* name) { return split_heads(project(x, name), heads); };
  AttentionOptions options{.return_weights = true};
  const Tensor valid = golden.read("in/key_padding_mask") == 0;
  options.mask = allowed_where_kept(bias).bitwise_and(valid.unsqueeze(1).unsqueeze(1));
  const Position position = given_bias(bias.masked_fill(options.mask.logical_not(), 0));
  const auto result =
      attended(heads_of("q_proj"), heads_of("k_proj"), heads_of("v_proj"), {position}, options);
  expect({{"attn_weights_mean", result.weights.mean(1)},
          {"out", project(join_heads(result.out), "out_proj").transpose(0, 1)}});
}
RELBIAS_GOLDEN_TESTS(GraphormerAttention, cases("graphormer_hf4", "attention/"));

}  // namespace
}  // namespace relbias::golden
