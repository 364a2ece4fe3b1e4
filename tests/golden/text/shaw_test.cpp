// SPDX-License-Identifier: Apache-2.0
// tests/golden/text: `shaw` against Wav2Vec2-BERT, VITS and SpeechT5 of transformers.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>

#include "tests/golden/golden_test.h"
#include "tests/golden/relations.h"

namespace relbias::golden {
namespace {

// The packages cut offsets at other ends than our -k..k: a row of ours repeats the row of theirs.
Tensor rows_for(const Tensor& offsets, int64_t left, int64_t right) {  // key - query
  return offsets.clamp(-left, right) + left;
}

class ShawTest : public GoldenTest {
 protected:
  // Projected by `linear_q`, `q_proj`; `name` without its last letters.
  Tensor project(const Tensor& x, const std::string& name) {
    return at::linear(x, golden.w(name + ".weight"), golden.w(name + ".bias"));
  }

  AttentionOptions masked(int64_t queries) {
    AttentionOptions options{.return_weights = true};
    if (golden.has("in/additive_mask")) {
      options.mask = for_every_query(allowed_where_kept(golden.read("in/additive_mask")), queries);
    }
    return options;
  }
};

class ShawKeys : public ShawTest {};

// Keys only, cut at -left and right, a table for all heads.
TEST_P(ShawKeys, EqualsThePackage) {
  const int64_t left = golden.integer("left_max"), right = golden.integer("right_max");
  const int64_t heads = golden.integer("num_heads"), clip = std::max(left, right);
  const Tensor x = golden.in("hidden_states");
  const RelationMap map = line(x.size(1));
  const auto encoding = make(fmt::format("shaw max_distance={} values=false", clip),
                             {.heads = heads, .head_width = golden.integer("head_size")}, map);
  const Tensor rows = rows_for(at::arange(-clip, clip + 1), left, right);
  const Tensor table = golden.w("distance_embedding.weight").index_select(0, rows);
  set(*encoding, "keys", table.view({1, 1, 2 * clip + 1, -1}));

  const auto heads_of = [&](const char* name) { return split_heads(project(x, name), heads); };
  const auto result = attended(heads_of("linear_q"), heads_of("linear_k"), heads_of("linear_v"),
                               {{map, encoding->terms(map)}}, masked(x.size(1)));
  expect(
      {{"attn_weights", result.weights}, {"out", project(join_heads(result.out), "linear_out")}});
}
RELBIAS_GOLDEN_TESTS(ShawKeys, cases("shaw_hf", "w2vbert_relative_key/"));

class ShawKeysAndValues : public ShawTest {};

// Quirk 5: outside the window the package has no vector, where the paper and ours repeat the last
// one; so ours is one wider, with zeros in its last rows.
TEST_P(ShawKeysAndValues, EqualsThePackage) {
  const int64_t heads = golden.integer("num_heads"), clip = golden.integer("window_size") + 1;
  const Tensor x = golden.in("hidden_states");
  const RelationMap map = line(x.size(1));
  const auto encoding = make(fmt::format("shaw max_distance={}", clip),
                             {.heads = heads, .head_width = golden.integer("head_dim")}, map);
  const auto widened = [](const Tensor& table) {
    return at::constant_pad_nd(table, {0, 0, 1, 1}).unsqueeze(0);
  };
  set(*encoding, "keys", widened(golden.w("emb_rel_k")));
  set(*encoding, "values", widened(golden.w("emb_rel_v")));

  const auto heads_of = [&](const char* name) { return split_heads(project(x, name), heads); };
  const auto result = attended(heads_of("q_proj"), heads_of("k_proj"), heads_of("v_proj"),
                               {{map, encoding->terms(map)}}, masked(x.size(1)));
  expect({{"attn_weights", result.weights}, {"out", project(join_heads(result.out), "out_proj")}});
}
RELBIAS_GOLDEN_TESTS(ShawKeysAndValues, cases("shaw_hf", "vits_rel_k_and_v/"));

class ShawTable : public ShawTest {};

// The package's rows count query - key from -M to M - 1; ours key - query from -M to M.
TEST_P(ShawTable, EqualsThePackage) {
  const int64_t clip = golden.integer("max_length"), tokens = golden.in("x").size(1);
  const Tensor theirs = golden.w("pe_k.weight");
  const RelationMap map = line(tokens);
  const auto encoding = make(fmt::format("shaw max_distance={} values=false", clip),
                             {.heads = 1, .head_width = theirs.size(1)}, map);
  const Tensor rows = rows_for(-at::arange(-clip, clip + 1), clip, clip - 1);
  set(*encoding, "keys", theirs.index_select(0, rows).view({1, 1, 2 * clip + 1, -1}));
  const Terms terms = encoding->terms(map);
  const Tensor row_of_pair = terms.table_rows.take(map.pair_rows().squeeze(0));
  expect({{"pe", at::embedding(terms.key.squeeze(0), row_of_pair)}});
}
RELBIAS_GOLDEN_TESTS(ShawTable, cases("shaw_hf", "speecht5_rel_pe/"));

class PairwiseKeys : public ShawTest {};

// A vector for every pair is given from outside: a key table with an id a pair.
TEST_P(PairwiseKeys, EqualsThePackage) {
  const int64_t heads = golden.integer("num_heads");
  const Tensor x = golden.in("hidden_states"), given = golden.in("position_bias");  // [N, N, D]
  const RelationMap map = pairs(at::zeros({1, x.size(1), x.size(1), 1}));
  Terms terms;
  terms.key = given.flatten(0, 1).unsqueeze(0).expand({heads, -1, -1});
  const auto heads_of = [&](const char* name) { return split_heads(project(x, name), heads); };
  const auto result = attended(heads_of("q_proj"), heads_of("k_proj"), heads_of("v_proj"),
                               {{map, terms}}, {.return_weights = true});
  expect({{"attn_weights", result.weights}, {"out", project(join_heads(result.out), "out_proj")}});
}
RELBIAS_GOLDEN_TESTS(PairwiseKeys, cases("shaw_hf", "speecht5_attention/"));

}  // namespace
}  // namespace relbias::golden
