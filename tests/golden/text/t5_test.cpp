// SPDX-License-Identifier: Apache-2.0
// tests/golden/text: `t5` against the T5 of transformers, and its use in WavLM and LayoutLMv3.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>

#include "tests/golden/golden_test.h"
#include "tests/golden/relations.h"

namespace relbias::golden {
namespace {

std::string t5(int64_t buckets, int64_t max_distance, bool bidirectional) {
  return fmt::format("t5 num_buckets={} max_distance={} bidirectional={}", buckets, max_distance,
                     bidirectional);
}

class T5Bucket : public GoldenTest {};

// Quirk 1: distances at which plain double arithmetic lands one bucket low are among them.
TEST_P(T5Bucket, IsTheRowOfEveryDistance) {
  const Tensor offset = golden.read("in/relative_position");  // key - query, as ours
  const RelationMap map = pairs(offset.view({1, 1, -1, 1}));
  const auto encoding = make(t5(golden.integer("num_buckets"), golden.integer("max_distance"),
                                golden.integer("bidirectional") != 0),
                             {.heads = 1, .head_width = 8}, map);
  EXPECT_TRUE(at::equal(encoding->terms(map).table_rows, golden.read("out/bucket")));
}
RELBIAS_GOLDEN_TESTS(T5Bucket, cases("t5", "bucket/"));

class T5Bias : public GoldenTest {};

TEST_P(T5Bias, EqualsThePackage) {
  const RelationMap map =
      line(golden.integer("q_len"), golden.integer("k_len"), golden.integer("past"));
  const auto encoding = make(t5(golden.integer("num_buckets"), golden.integer("max_distance"),
                                golden.integer("bidirectional") != 0),
                             {.heads = golden.integer("num_heads"), .head_width = 8}, map);
  set(*encoding, "table", golden.w("relative_attention_bias.weight").t().unsqueeze(1));
  expect({{"position_bias", score_of_pairs(encoding->terms(map), map)}});
}
RELBIAS_GOLDEN_TESTS(T5Bias, cases("t5", "compute_bias/"));

class T5Attention : public GoldenTest {
 protected:
  // What keys and values are made of: the cached tokens and the new ones, or another sequence.
  Tensor memory() {
    if (golden.has("in/key_value_states")) return golden.in("key_value_states");
    if (!golden.has("in/past_hidden_states")) return golden.in("hidden_states");
    return at::cat({golden.in("past_hidden_states"), golden.in("hidden_states")}, 1);
  }

  Terms terms_of(const RelationMap& map, int64_t heads, int64_t width) {
    if (golden.integer("has_relative_attention_bias") == 0) return {};
    const auto encoding = make(t5(golden.integer("num_buckets"), golden.integer("max_distance"),
                                  golden.integer("is_decoder") == 0),
                               {.heads = heads, .head_width = width}, map);
    set(*encoding, "table", golden.w("relative_attention_bias.weight").t().unsqueeze(1));
    return encoding->terms(map);
  }
};

TEST_P(T5Attention, EqualsThePackage) {
  const int64_t heads = golden.integer("num_heads"), width = golden.integer("d_kv");
  const auto project = [&](const Tensor& x, const char* name) {
    return split_heads(at::linear(x, golden.w(name)), heads);
  };
  const Tensor q = project(golden.in("hidden_states"), "q.weight");
  const Tensor k = project(memory(), "k.weight"), v = project(memory(), "v.weight");
  const RelationMap map = line(q.size(2), k.size(2), golden.integer("past"));
  const Terms terms = terms_of(map, heads, width);

  AttentionOptions options{.return_weights = true};
  options.scale = 1;  // T5 does not divide by sqrt(D)
  if (golden.has("in/additive_mask")) {
    options.mask = for_every_query(allowed_where_kept(golden.read("in/additive_mask")), q.size(2));
  }
  const auto result = attention_with_even_rows({q, k, v}, {{map, terms}}, options, Masking::adds);
  const Tensor bias = terms.score.defined() ? score_of_pairs(terms, map)
                                            : at::zeros({1, heads, q.size(2), k.size(2)});
  expect({{"position_bias", bias},
          {"attn_weights", result.weights},
          {"out", at::linear(join_heads(result.out), golden.w("o.weight"))}});
}
RELBIAS_GOLDEN_TESTS(T5Attention, cases("t5", "attention/"));

class WavLm : public GoldenTest {
 protected:
  // Quirk 12: the bias times a gate of the query's own input, a * (b * c - 1) + 2.
  Tensor gate(const Tensor& input) {  // [B, H, N, D] -> [B, H, N, 1]
    const Tensor sums = at::linear(input, golden.w("gru_rel_pos_linear.weight"),
                                   golden.w("gru_rel_pos_linear.bias"))
                            .unflatten(3, {2, 4})
                            .sum(4)
                            .sigmoid();
    const Tensor a = sums.narrow(3, 0, 1), b = sums.narrow(3, 1, 1);
    return a * (b * golden.w("gru_rel_pos_const") - 1) + 2;
  }
};

TEST_P(WavLm, EqualsThePackage) {
  const int64_t heads = golden.integer("num_heads");
  const Tensor x = golden.in("hidden_states");
  const RelationMap map = line(x.size(1));
  const auto encoding =
      make(t5(golden.integer("num_buckets"), golden.integer("max_distance"), true),
           {.heads = heads, .head_width = x.size(2) / heads}, map);
  set(*encoding, "table", golden.w("rel_attn_embed.weight").t().unsqueeze(1));
  const Terms t5_terms = encoding->terms(map);
  const Tensor gates = gate(split_heads(x, heads)), bias = score_of_pairs(t5_terms, map);
  Terms gated;
  gated.dense = [&](const Tensor&, const Tensor&, const Tensor&) { return gates * bias; };

  const auto project = [&](const std::string& name) {
    return split_heads(at::linear(x, golden.w(name + ".weight"), golden.w(name + ".bias")), heads);
  };
  AttentionOptions options{.return_weights = true};
  const Tensor valid = golden.read("in/attention_mask").to(at::kBool).view({x.size(0), 1, 1, -1});
  options.mask = for_every_query(valid, x.size(1));
  const auto result =
      attended(project("q_proj"), project("k_proj"), project("v_proj"), {{map, gated}}, options);
  // The bias of the samples and heads stands in one dimension; the weights are the mean over heads.
  expect({{"position_bias", bias.expand({x.size(0), -1, -1, -1}).flatten(0, 1)},
          {"attn_weights_mean", result.weights.mean(1)},
          {"out", at::linear(join_heads(result.out), golden.w("out_proj.weight"),
                             golden.w("out_proj.bias"))}});
}
RELBIAS_GOLDEN_TESTS(WavLm, cases("audio_hf", "wavlm_gated/"));

class LayoutLm : public GoldenTest {};

// Three relations at once, their tables added: place in the text, left and lower edge of the box.
// Quirk 15: the package divides the sum by sqrt(D).
TEST_P(LayoutLm, EqualsThePackage) {
  const auto apart = [](const Tensor& place) {  // [B, N] -> key - query [B, N, N, 1]
    return (place.unsqueeze(1) - place.unsqueeze(2)).unsqueeze(3);
  };
  constexpr int64_t kWidth = 8;  // of a head
  const Tensor box = golden.read("in/bbox");
  const int64_t heads = golden.integer("num_heads");
  const auto bias = [&](const Tensor& place, const std::string& name, const std::string& text) {
    const RelationMap map = pairs(apart(place));
    const auto encoding = make(text, {.heads = heads, .head_width = kWidth}, map);
    set(*encoding, "table", golden.w(name).unsqueeze(1));  // stored [H, buckets]
    return score_of_pairs(encoding->terms(map), map);
  };
  const std::string in_text =
      t5(golden.integer("rel_pos_bins"), golden.integer("max_rel_pos"), true);
  const std::string on_page =
      t5(golden.integer("rel_2d_pos_bins"), golden.integer("max_rel_2d_pos"), true);
  const Tensor sum = bias(golden.read("in/position_ids"), "rel_pos_bias.weight", in_text) +
                     bias(box.select(2, 0), "rel_pos_x_bias.weight", on_page) +
                     bias(box.select(2, 3), "rel_pos_y_bias.weight", on_page);
  expect({{"bias", sum / std::sqrt(static_cast<double>(kWidth))}});
}
RELBIAS_GOLDEN_TESTS(LayoutLm, cases("image_hf", "layoutlmv3_bias/"));

}  // namespace
}  // namespace relbias::golden
