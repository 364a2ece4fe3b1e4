// SPDX-License-Identifier: Apache-2.0
// tests/golden/text: `alibi` against BLOOM, MPT and Falcon of transformers.
#include <ATen/ATen.h>

#include <cmath>

#include "tests/golden/golden_test.h"
#include "tests/golden/relations.h"

namespace relbias::golden {
namespace {

class AlibiSlopes : public GoldenTest {
 protected:
  // Our bias of the last of `tokens` queries, [H, tokens].
  Tensor last_row(int64_t tokens) {
    const RelationMap map = line(1, tokens, tokens - 1);
    const auto encoding = make("alibi", {golden.integer("num_heads"), 8, true}, map);
    return encoding->terms(map).score;
  }
};

TEST_P(AlibiSlopes, EqualThePackages) {
  const Tensor slopes = -last_row(2).select(1, 0);
  expect_close("BLOOM", slopes, golden.read("out/slopes_bloom"), 1e-7);
  expect_close("MPT", slopes, golden.read("out/slopes_mpt"), 1e-7);
}

TEST_P(AlibiSlopes, GiveTheBiasOfMpt) {
  const Tensor bias = golden.read("out/mpt_bias").squeeze(1);  // [H, K], slope * (j - (K - 1))
  expect_close("bias", last_row(bias.size(1)), bias, 1e-7);
}

// Quirk 8: their bias is slope * j, j counted over real tokens: ours plus a number for every row,
// which no softmax sees. Falcon's slopes are bfloat16.
TEST_P(AlibiSlopes, GiveTheBiasOfBloomAndFalconUpToARow) {
  const Tensor valid = golden.read("in/attention_mask").to(at::kBool);
  const auto expect_rows = [&](const char* name, double tolerance) {
    const Tensor all = golden.read(name).view({valid.size(0), -1, valid.size(1)});
    for (int64_t sample = 0; sample < valid.size(0); ++sample) {
      const Tensor bias = all[sample].index_select(1, valid[sample].nonzero().squeeze(1));
      const int64_t tokens = bias.size(1);
      expect_close(name, last_row(tokens), bias - bias.narrow(1, tokens - 1, 1), tolerance);
    }
  };
  expect_rows("out/bloom_bias", 1e-6);
  expect_rows("out/falcon_bias", std::exp2(-7));
}
RELBIAS_GOLDEN_TESTS(AlibiSlopes, cases("alibi_hf", "slopes/"));

class AlibiAttention : public GoldenTest {
 protected:
  Position position(int64_t queries, int64_t keys) {
    const RelationMap map = line(queries, keys, keys - queries);
    const ModelShape shape{golden.integer("num_heads"), golden.integer("head_dim"), true};
    return {map, make("alibi", shape, map)->terms(map)};
  }

  // Rows packed by head, then q k v, then channel; with a bias.
  std::vector<Tensor> packed(const Tensor& x) {
    const Tensor all =
        at::linear(x, golden.w("query_key_value.weight"), golden.w("query_key_value.bias"));
    return split_heads(all, golden.integer("num_heads")).chunk(3, -1);
  }

  Tensor dense(const Tensor& out) {
    return at::linear(join_heads(out), golden.w("dense.weight"), golden.w("dense.bias"));
  }
};

// Softmax is float32 in all three packages.
constexpr Tolerance kFloatSoftmax{5e-7, 5e-7};

class Bloom : public AlibiAttention {};

TEST_P(Bloom, EqualsThePackage) {
  const Tensor x = golden.in("hidden_states");
  const auto now = packed(x);
  Tensor k = now[1], v = now[2];
  if (golden.has("in/past_hidden_states")) {
    const auto past = packed(golden.in("past_hidden_states"));
    k = at::cat({past[1], k}, 2);
    v = at::cat({past[2], v}, 2);
  }
  AttentionOptions options{.return_weights = true};
  options.mask = allowed_where_kept(golden.read("in/additive_mask"));
  const Position alibi = position(x.size(1), k.size(2));
  const auto result = attended(now[0], k, v, {alibi}, options);
  // Quirk 8: slope * key is our bias of the last query up to what it is at the first key.
  const Tensor last = alibi.terms.score.narrow(1, 0, k.size(2));
  const Tensor by_key = (last - last.narrow(1, 0, 1)).repeat({x.size(0), 1}).unsqueeze(1);
  expect({{"alibi", by_key},
          {"attn_probs", result.weights},
          {"out", dense(result.out) + golden.read("in/residual")}},
         kFloatSoftmax);
}
RELBIAS_GOLDEN_TESTS(Bloom, cases("alibi_hf", "bloom_attention/"));

class Falcon : public AlibiAttention {};

// Quirk 8: the package divides the bias by sqrt(D), too.
TEST_P(Falcon, EqualsThePackage) {
  const Tensor x = golden.in("hidden_states");
  const auto qkv = packed(x);
  Position alibi = position(x.size(1), x.size(1));
  alibi.terms.score =
      alibi.terms.score / std::sqrt(static_cast<double>(golden.integer("head_dim")));
  AttentionOptions options{.return_weights = true};
  options.mask = allowed_where_kept(golden.read("in/additive_mask"));
  const auto result = attended(qkv[0], qkv[1], qkv[2], {alibi}, options);
  expect({{"attn", result.weights}, {"out", dense(result.out)}}, kFloatSoftmax);
}
RELBIAS_GOLDEN_TESTS(Falcon, cases("alibi_hf", "falcon_attention/"));

class Mpt : public AlibiAttention {};

TEST_P(Mpt, EqualsThePackage) {
  const Tensor x = golden.in("hidden_states");
  const auto qkv = at::linear(x, golden.w("Wqkv.weight")).chunk(3, 2);
  const auto heads_of = [&](const Tensor& part) {
    return split_heads(part, golden.integer("num_heads"));
  };
  AttentionOptions options{.return_weights = true};
  options.mask = golden.read("in/causal_bool_mask") == 0;  // true = drop there
  const auto result = attended(heads_of(qkv[0]), heads_of(qkv[1]), heads_of(qkv[2]),
                               {position(x.size(1), x.size(1))}, options);
  expect({{"attn_weights", result.weights},
          {"out", at::linear(join_heads(result.out), golden.w("out_proj.weight"))}},
         kFloatSoftmax);
}
RELBIAS_GOLDEN_TESTS(Mpt, cases("alibi_hf", "mpt_attention/"));

}  // namespace
}  // namespace relbias::golden
