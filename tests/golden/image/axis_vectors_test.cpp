// SPDX-License-Identifier: Apache-2.0
// tests/golden/image: `shaw` on grids, vectors of both axes added, against SAM, BoTNet, HaloNet and
// MViT.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "tests/golden/golden_test.h"
#include "tests/golden/relations.h"

namespace relbias::golden {
namespace {

// A package's rows of one axis: row `zero` is offset 0, and rows go up with query - key or key -
// query.
struct AxisTable {
  Tensor rows;  // [T, D]
  int64_t zero;
};
enum class Counting { query_minus_key, key_minus_query };

class AxisVectors : public GoldenTest {
 protected:
  // Ours: offsets key - query from -clip to clip on both axes. Rows that no pair uses repeat the
  // last.
  static Tensor reordered(const AxisTable& table, Counting counting, int64_t clip) {
    const Tensor offset = at::arange(-clip, clip + 1);
    const Tensor row =
        counting == Counting::query_minus_key ? table.zero - offset : table.zero + offset;
    return table.rows.index_select(0, row.clamp(0, table.rows.size(0) - 1));
  }

  // `divided_by`: attention scales the whole score, these packages only the content term.
  Terms vectors(const std::array<AxisTable, 2>& tables, Counting counting, const RelationMap& map,
                double divided_by = 1) {
    const int64_t clip = std::max(map.sides[0], map.sides[1]);
    const auto encoding = make(fmt::format("shaw values=false max_distance={}", clip),
                               {.heads = 1, .head_width = tables[0].rows.size(1)}, map);
    const Tensor both =
        at::stack({reordered(tables[0], counting, clip), reordered(tables[1], counting, clip)});
    set(*encoding, "keys", both.unsqueeze(0) / divided_by);
    return encoding->terms(map);
  }

  // q_i.A[r(i,j)], [.., Q, K]
  static Tensor products(const Tensor& q, const Terms& terms, const RelationMap& map) {
    const Tensor pairs = at::embedding(terms.key.squeeze(0), map.pair_rows().squeeze(0));
    return at::einsum("...qd,qkd->...qk", {q, pairs});
  }

  // Where queries and keys differ in number on an axis, the coarser ones stand further apart.
  static int64_t apart(int64_t own, int64_t others) { return std::max<int64_t>(others / own, 1); }
  static RelationMap strided(const std::vector<int64_t>& q, const std::vector<int64_t>& k) {
    return grid(raster(q[0], q[1], apart(q[0], k[0]), apart(q[1], k[1])),
                raster(k[0], k[1], apart(k[0], q[0]), apart(k[1], q[1])));
  }
  static int64_t zero_row(int64_t q, int64_t k) { return (k - 1) * apart(k, q); }

  // SAM stretches a table of another size between its outer edges.
  static Tensor resized(const Tensor& table, int64_t rows) {
    if (table.size(0) == rows) return table;
    return at::upsample_linear1d(table.t().unsqueeze(0), {rows}, /*align_corners=*/false)
        .squeeze(0)
        .t();
  }
};

class SamVectors : public AxisVectors {};

TEST_P(SamVectors, EqualThePackage) {
  const auto q = golden.integers("q_size"), k = golden.integers("k_size");
  const RelationMap map = strided(q, k);
  const auto table = [&](const char* name, size_t axis) {
    const int64_t rows = 2 * std::max(q[axis], k[axis]) - 1;
    return AxisTable{resized(golden.read(name), rows), zero_row(q[axis], k[axis])};
  };
  const Terms terms =
      vectors({table("in/rel_pos_h", 0), table("in/rel_pos_w", 1)}, Counting::query_minus_key, map);
  const Tensor bias = products(golden.read("in/query"), terms, map);
  expect({{"bias", bias.unflatten(2, {k[0], k[1]}).unflatten(1, {q[0], q[1]})}});
}
RELBIAS_GOLDEN_TESTS(SamVectors, cases("image_hf", "sam_decomposed/"));

class MvitVectors : public AxisVectors {};

// Added to given scores; a class token before the patches has none.
TEST_P(MvitVectors, EqualThePackage) {
  const auto q = golden.integers("q_size"), k = golden.integers("k_size");
  const int64_t before = golden.integer("has_cls");
  const RelationMap map = strided(q, k);
  const Terms terms = vectors({AxisTable{golden.read("in/rel_pos_h"), zero_row(q[0], k[0])},
                               AxisTable{golden.read("in/rel_pos_w"), zero_row(q[1], k[1])}},
                              Counting::query_minus_key, map);
  const Tensor bias = products(golden.read("in/q").slice(2, before), terms, map);
  expect({{"attn", golden.read("in/attn") + at::constant_pad_nd(bias, {before, 0, before, 0})}});
}
RELBIAS_GOLDEN_TESTS(MvitVectors, cases("image_timm", "mvitv2_rel_pos/"));

class BotnetVectors : public AxisVectors {};

TEST_P(BotnetVectors, EqualThePackage) {
  const auto side = golden.integers("feat");
  const RelationMap map = grid(side.at(0), side.at(1));
  const Terms terms = vectors({AxisTable{golden.w("height_rel"), side[0] - 1},
                               AxisTable{golden.w("width_rel"), side[1] - 1}},
                              Counting::key_minus_query, map);
  expect({{"logits", products(golden.in("q"), terms, map)}});
}
RELBIAS_GOLDEN_TESTS(BotnetVectors, cases("image_timm", "botnet_pos_embed_rel/"));

class HaloVectors : public AxisVectors {};

// A block of queries at the corner of its window of keys.
TEST_P(HaloVectors, EqualThePackage) {
  const int64_t block = golden.integer("block"), window = golden.integer("win");
  const RelationMap map = grid(raster(block, block), raster(window, window));
  const Terms terms = vectors(
      {AxisTable{golden.w("height_rel"), window - 1}, AxisTable{golden.w("width_rel"), window - 1}},
      Counting::key_minus_query, map);
  expect({{"logits", products(golden.in("q"), terms, map)}});
}
RELBIAS_GOLDEN_TESTS(HaloVectors, cases("image_timm", "halo_pos_embed_rel/"));

class SamAttention : public AxisVectors {};

// Quirk 15: q meets the vectors unscaled.
TEST_P(SamAttention, EqualsThePackage) {
  const Tensor x = golden.in("hidden_states");  // [1, height, width, C]
  const int64_t heads = golden.integer("num_heads"), height = x.size(1), width = x.size(2);
  const RelationMap map = grid(height, width);
  Terms terms = vectors({AxisTable{resized(golden.w("rel_pos_h"), 2 * height - 1), height - 1},
                         AxisTable{resized(golden.w("rel_pos_w"), 2 * width - 1), width - 1}},
                        Counting::query_minus_key, map,
                        1 / std::sqrt(static_cast<double>(x.size(3) / heads)));
  terms.key = terms.key.expand({heads, -1, -1});
  const auto qkv =
      at::linear(x.flatten(1, 2), golden.w("qkv.weight"), golden.w("qkv.bias")).chunk(3, 2);
  const auto result =
      attended(split_heads(qkv[0], heads), split_heads(qkv[1], heads), split_heads(qkv[2], heads),
               {{map, terms}}, {.return_weights = true});
  const Tensor out =
      at::linear(join_heads(result.out), golden.w("proj.weight"), golden.w("proj.bias"));
  // Softmax is float32 there.
  expect({{"attn_weights", result.weights.squeeze(0)}, {"out", out.view_as(x)}}, {5e-7, 5e-7});
}
RELBIAS_GOLDEN_TESTS(SamAttention, cases("image_hf", "sam_attention/"));

class BotnetAttention : public AxisVectors {};

TEST_P(BotnetAttention, EqualsThePackage) {
  const Tensor x = golden.in("x");  // [1, C, height, width]
  const int64_t heads = golden.integer("num_heads"), channels = golden.integer("dim_head");
  const int64_t height = x.size(2), width = x.size(3);
  const RelationMap map = grid(height, width);
  Terms terms =
      vectors({AxisTable{golden.w("pos_embed.height_rel"), height - 1},
               AxisTable{golden.w("pos_embed.width_rel"), width - 1}},
              Counting::key_minus_query, map, 1 / std::sqrt(static_cast<double>(channels)));
  terms.key = terms.key.expand({heads, -1, -1});
  const auto qkv = at::linear(x.flatten(2).transpose(1, 2), golden.w("qkv.weight").flatten(1),
                              golden.w("qkv.bias"))
                       .chunk(3, 2);
  const auto result =
      attended(split_heads(qkv[0], heads), split_heads(qkv[1], heads), split_heads(qkv[2], heads),
               {{map, terms}}, {.return_weights = true});
  expect({{"out", join_heads(result.out).transpose(1, 2).unflatten(2, {height, width})}});
}
RELBIAS_GOLDEN_TESTS(BotnetAttention, cases("image_timm", "botnet_attention/"));

}  // namespace
}  // namespace relbias::golden
