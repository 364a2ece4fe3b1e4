// SPDX-License-Identifier: Apache-2.0
// tests/golden/image: `table` against the LeViT of transformers and timm, whose bias has no
// direction.
#include <ATen/ATen.h>

#include "tests/golden/golden_test.h"
#include "tests/golden/relations.h"

namespace relbias::golden {
namespace {

// What a package calls its parts.
struct Names {
  std::string qkv, q, kv, out, normalisation;
};

class LevitTest : public GoldenTest {
 protected:
  Names names() const {
    if (GetParam().file == "image_hf") {
      return {"queries_keys_values", "queries", "keys_values", "projection", "batch_norm"};
    }
    return {"qkv", "q.ln", "kv", "proj.ln", "bn"};
  }

  // A linear map without bias, then the running statistics of the channels.
  Tensor project(const Tensor& x, const std::string& name) {
    const std::string norm = name + "." + names().normalisation + ".";
    const Tensor y = at::linear(x, golden.w(name + ".linear.weight"));
    const Tensor mean = golden.read("w/" + norm + "running_mean");
    const Tensor deviation = (golden.read("w/" + norm + "running_var") + 1e-5).sqrt();
    return (y - mean) / deviation * golden.w(norm + "weight") + golden.w(norm + "bias");
  }

  // One number for |dy|, |dx|, numbered by row; all four directions of ours have it.
  Terms terms_for(const RelationMap& map, int64_t side, int64_t width) {
    const int64_t heads = golden.integer("num_heads");
    const auto encoding =
        make("table", {.heads = heads, .head_width = golden.integer("key_dim")}, map);
    const Tensor size = map.offsets.abs().to(at::kLong);
    const Tensor rows = size.select(1, 0) * width + size.select(1, 1);
    // Offsets that a grid has in its table and no pair.
    const Tensor there = size.select(1, 0) < side;
    set(*encoding, "table", golden.w("attention_biases").index_select(1, rows * there));
    return encoding->terms(map);
  }

  void expect_attention(const std::array<Tensor, 3>& qkv, const RelationMap& map,
                        const Terms& terms) {
    const auto result = attended(qkv[0], qkv[1], qkv[2], {{map, terms}}, {.return_weights = true});
    expect({{"bias", score_of_pairs(terms, map).squeeze(0)},
            {"out", project(activated(join_heads(result.out)), names().out)}});
  }

  // timm's class, built by itself, has another activation than its models.
  Tensor activated(const Tensor& x) const {
    return GetParam().file == "image_hf" ? at::hardswish(x) : at::silu(x);
  }

  Tensor input() { return golden.in(golden.has("in/x") ? "x" : "hidden_states"); }
};

class Levit : public LevitTest {
 protected:
  // `r3`: a square of side 3; `2x4`.
  std::array<int64_t, 2> sides() const {
    if (golden.has_option("resolution")) {
      return {golden.integer("resolution"), golden.integer("resolution")};
    }
    const std::string size = GetParam().group.substr(GetParam().group.find('/') + 1);
    return {std::stoll(size), std::stoll(size.substr(size.find('x') + 1))};
  }
};

TEST_P(Levit, EqualsThePackage) {
  const auto [height, width] = sides();
  const int64_t channels = golden.integer("key_dim");
  const RelationMap map = grid(height, width);
  // Heads stand outside, then q k v, of which v is the wider.
  const Tensor all = split_heads(project(input(), names().qkv), golden.integer("num_heads"));
  const auto parts = all.split_with_sizes({channels, channels, all.size(3) - 2 * channels}, 3);
  expect_attention({parts[0], parts[1], parts[2]}, map, terms_for(map, height, width));
}
std::vector<CaseId> levits() {
  auto all = cases("image_hf", "levit_attention/");
  for (const auto& id : cases("image_timm", "levit_attention/")) all.push_back(id);
  return all;
}
RELBIAS_GOLDEN_TESTS(Levit, levits());

class ShrinkingLevit : public LevitTest {};

// Queries are every second token on both axes; keys all.
TEST_P(ShrinkingLevit, EqualsThePackage) {
  const int64_t heads = golden.integer("num_heads"), channels = golden.integer("key_dim");
  const int64_t step = golden.integer("stride"), side = 5, fewer = (side - 1) / step + 1;
  const RelationMap map = grid(raster(fewer, fewer, step, step), raster(side, side));
  const Tensor x = input();
  const Tensor some =
      x.unflatten(1, {side, side}).slice(1, 0, side, step).slice(2, 0, side, step).flatten(1, 2);
  const Tensor q = split_heads(project(some, names().q), heads);
  const Tensor kv = split_heads(project(x, names().kv), heads);
  const auto parts = kv.split_with_sizes({channels, kv.size(3) - channels}, 3);
  expect_attention({q, parts[0], parts[1]}, map, terms_for(map, side, side));
}
std::vector<CaseId> shrinking() {
  auto all = cases("image_hf", "levit_subsample/");
  for (const auto& id : cases("image_timm", "levit_downsample/")) all.push_back(id);
  return all;
}
RELBIAS_GOLDEN_TESTS(ShrinkingLevit, shrinking());

}  // namespace
}  // namespace relbias::golden
