// SPDX-License-Identifier: Apache-2.0
// tests/golden/text: `transformer-xl` against Transformer-XL and XLNet of transformers.
#include <ATen/ATen.h>

#include "tests/golden/golden_test.h"
#include "tests/golden/relations.h"

namespace relbias::golden {
namespace {

// Whose sinusoids: `ours` holds the encoding against the package, whose tables come from angles in
// float32; `theirs` puts those tables in place of ours, so that the rest agrees to the last digits.
enum class Sinusoids { ours, theirs };

class ShiftTest : public GoldenTest {
 protected:
  // x's column for row r of a line is r + `first`. True where x has that column.
  void expect_rows_shift(int64_t first) {
    const Tensor x = golden.read("in/x").flatten(0, -2), shifted = golden.read("out/shifted");
    const int64_t queries = x.size(0), keys = shifted.size(-1);
    const Tensor column = line(queries, keys, keys - queries).pair_rows().squeeze(0) + first;
    // Quirk 6: where a key has no column the package's trick leaves values of other rows.
    const Tensor there = column < x.size(1);
    const Tensor ours = x.gather(1, column.clamp_max(x.size(1) - 1));
    EXPECT_TRUE(at::equal(ours.masked_select(there), shifted.view_as(ours).masked_select(there)));
    EXPECT_GE(there.sum().item<int64_t>(), queries);
  }
};

class TransformerXlShift : public ShiftTest {};
TEST_P(TransformerXlShift, IsTheIndexOfALine) { expect_rows_shift(0); }
RELBIAS_GOLDEN_TESTS(TransformerXlShift, cases("transfoxl", "rel_shift/"));

class XlNetShift : public ShiftTest {};
// XLNet's first column is a distance that no pair has.
TEST_P(XlNetShift, IsTheIndexOfALine) { expect_rows_shift(1); }
RELBIAS_GOLDEN_TESTS(XlNetShift, cases("xlnet", "rel_shift_bnij/"));

class MemoryTest : public GoldenTest {
 protected:
  // Distances beyond clamp_len count as clamp_len: past_range=clamp of a model trained on one more.
  std::shared_ptr<Encoding> make_for(const RelationMap& map, const ModelShape& shape) {
    const int64_t clamp = golden.integer("clamp_len");
    return clamp > 0 ? make("transformer-xl past_range=clamp", shape, line(clamp + 1))
                     : make("transformer-xl", shape, map);
  }

  // The key table from the package's own sinusoids; rows of keys ahead that it lacks are masked.
  void put_in(Terms& terms, const Tensor& sinusoids,  // [R or fewer, C]
              const Tensor& projection) {             // [H D, C]
    const Tensor rows =
        at::linear(sinusoids, projection).unflatten(1, {terms.key.size(0), -1}).transpose(0, 1);
    const int64_t there = std::min(rows.size(1), terms.key.size(1));
    expect_close("key table", terms.key.narrow(1, 0, there), rows.narrow(1, 0, there), 1e-6);
    terms.key = at::constant_pad_nd(rows.narrow(1, 0, there), {0, 0, 0, terms.key.size(1) - there});
  }

  // [Q, K, B], 1 = drop -> [B, 1, Q, K]
  static Tensor allowed(const Tensor& dropped) {
    return (dropped == 0).permute({2, 0, 1}).unsqueeze(1);
  }
  // Time-major [N, B, H D] -> [B, H, N, D]
  static Tensor heads_of(const Tensor& x, int64_t heads) {
    return split_heads(x.transpose(0, 1), heads);
  }
};

class TransformerXl : public MemoryTest {
 protected:
  Tensor normalised(const Tensor& x) {
    return at::layer_norm(x, {x.size(-1)}, golden.w("layer_norm.weight"),
                          golden.w("layer_norm.bias"), golden.real("layer_norm_eps"));
  }

  void run(Sinusoids sinusoids, const Tolerance& tolerance) {
    const int64_t heads = golden.integer("n_head"), width = golden.integer("d_head");
    const bool first = golden.integer("pre_lnorm") != 0;  // normalise before attention, or after
    const Tensor x = golden.in("w");
    const Tensor all = golden.has("in/mems") ? at::cat({golden.in("mems"), x}) : x;
    const auto qkv =
        at::linear(first ? normalised(all) : all, golden.w("qkv_net.weight")).chunk(3, 2);
    const Tensor q = heads_of(qkv[0].narrow(0, all.size(0) - x.size(0), x.size(0)), heads);
    const Tensor k = heads_of(qkv[1], heads), v = heads_of(qkv[2], heads);

    const RelationMap map = line(q.size(2), k.size(2), k.size(2) - q.size(2));
    const auto encoding = make_for(map, {heads, width});
    set(*encoding, "projection", golden.w("r_net.weight"));
    set(*encoding, "u", golden.w("r_w_bias"));
    set(*encoding, "v", golden.w("r_r_bias"));
    Terms terms = encoding->terms(map);
    if (sinusoids == Sinusoids::theirs) {
      put_in(terms, golden.read("in/r").squeeze(1), golden.w("r_net.weight"));
    }
    AttentionOptions options{.return_weights = true};
    options.mask = allowed(golden.read("in/attn_mask"));
    const auto result =
        attention_with_even_rows({q, k, v}, {{map, terms}}, options, Masking::fills);
    const Tensor out =
        x + at::linear(join_heads(result.out), golden.w("o_net.weight")).transpose(0, 1);
    expect({{"attn_prob_ijbn", result.weights.permute({2, 3, 0, 1})},
            {"out", first ? out : normalised(out)}},
           tolerance);
  }

  // The package cannot run masked attention in float64.
  bool exact() const { return golden.has("out64"); }
};

TEST_P(TransformerXl, EqualsThePackage) { run(Sinusoids::ours, {2e-6, exact() ? 2e-6 : 1e-5}); }
TEST_P(TransformerXl, EqualsThePackageOnItsSinusoids) {
  run(Sinusoids::theirs, exact() ? Tolerance{1e-9, 1e-9} : Tolerance{2e-6, 1e-5});
}
RELBIAS_GOLDEN_TESTS(TransformerXl, cases("transfoxl", "attention/"));

class XlNet : public MemoryTest {
 protected:
  // (q_i + r_s).S[segment(i,j)]: a second key table, over the ids `same segment` and `other`.
  Position segments(const Tensor& one_hot) {  // [Q, K, B, 2]
    RelationMap map = pairs(at::zeros({one_hot.size(2), one_hot.size(0), one_hot.size(1), 1}));
    map.index = one_hot.argmax(3).permute({2, 0, 1}).to(at::kInt);
    map.rows = 2;
    Terms terms;
    terms.key = golden.w("seg_embed").transpose(0, 1);
    terms.position_bias = golden.w("r_s_bias");
    return {map, terms};
  }

  void run(Sinusoids sinusoids, const Tolerance& tolerance) {
    const int64_t heads = golden.integer("n_head"), width = golden.integer("d_head");
    const auto weight = [&](const char* name) {
      return golden.w(name).flatten(1).t();
    };  // [H D, C]
    const Tensor x = golden.in("h");
    const Tensor all = golden.has("in/mems") ? at::cat({golden.in("mems"), x}) : x;
    const Tensor q = heads_of(at::linear(x, weight("q")), heads);
    const Tensor k = heads_of(at::linear(all, weight("k")), heads);
    const Tensor v = heads_of(at::linear(all, weight("v")), heads);

    const RelationMap map = line(q.size(2), k.size(2), k.size(2) - q.size(2));
    const auto encoding = make_for(map, {heads, width});
    set(*encoding, "projection", weight("r"));
    set(*encoding, "u", golden.w("r_w_bias"));
    set(*encoding, "v", golden.w("r_r_bias"));
    std::vector<Position> positions{{map, encoding->terms(map)}};
    if (sinusoids == Sinusoids::theirs) {
      // Its first row is a distance that no pair has; the rows of all samples are the same.
      put_in(positions[0].terms, golden.read("in/pos_emb").select(1, 0).slice(0, 1), weight("r"));
    }
    if (golden.has("in/seg_mat")) positions.push_back(segments(golden.read("in/seg_mat")));
    AttentionOptions options{.return_weights = true};
    if (golden.has("in/attn_mask")) options.mask = allowed(golden.read("in/attn_mask"));
    const auto result = attention_with_even_rows({q, k, v}, positions, options, Masking::adds);
    const Tensor out =
        x + at::linear(join_heads(result.out), golden.w("o").flatten(1)).transpose(0, 1);
    expect({{"attn_probs_ijbn", result.weights.permute({2, 3, 0, 1})},
            {"out", at::layer_norm(out, {out.size(2)}, golden.w("layer_norm.weight"),
                                   golden.w("layer_norm.bias"), golden.real("layer_norm_eps"))}},
           tolerance);
  }
};

TEST_P(XlNet, EqualsThePackage) { run(Sinusoids::ours, {2e-6, 2e-6}); }
TEST_P(XlNet, EqualsThePackageOnItsSinusoids) { run(Sinusoids::theirs, {1e-9, 1e-9}); }
RELBIAS_GOLDEN_TESTS(XlNet, cases("xlnet", "attention/"));

}  // namespace
}  // namespace relbias::golden
