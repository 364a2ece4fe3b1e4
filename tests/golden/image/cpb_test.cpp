// SPDX-License-Identifier: Apache-2.0
// tests/golden/image: `cpb` against SwinV2 of transformers and timm.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "tests/golden/golden_test.h"
#include "tests/golden/relations.h"

namespace relbias::golden {
namespace {

// Coordinates are float32 tables in the packages.
constexpr Tolerance kFloatCoordinates{1e-6, 2e-6};

class CpbTest : public GoldenTest {
 protected:
  // The grid whose side gives n: that of the earlier training where there was one (`0 0`: none).
  RelationMap trained(const RelationMap& map) const {
    if (!golden.has_option("pretrained_window")) return map;
    const auto sides = golden.integers("pretrained_window");
    return sides.at(0) > 0 ? grid(sides[0], sides[1]) : map;
  }

  // Two layers; the package's coordinates are query - key, ours key - query.
  std::shared_ptr<Encoding> network(const std::string& options, const ModelShape& shape,
                                    const RelationMap& map, const std::array<Tensor, 3>& weights) {
    const auto encoding =
        make(fmt::format("cpb scale=log width={} {}", weights[0].size(0), options), shape, map);
    set(*encoding, "mlp.first", -weights[0]);
    set(*encoding, "mlp.first_bias", weights[1]);
    set(*encoding, "mlp.second", weights[2]);
    return encoding;
  }
};

class CosineAttention : public CpbTest {
 protected:
  // Quirk 13: cosines of the vectors' angles, times a learned factor a head of at most 100.
  AttentionResult attend(const std::vector<Tensor>& qkv, const Position& position,
                         const Tensor& mask) {
    const auto normalised = [](const Tensor& x) { return x / x.norm(2, 3, true).clamp_min(1e-12); };
    const Tensor factor = golden.w("logit_scale").clamp_max(std::log(100.0)).exp();
    AttentionOptions options{.return_weights = true};
    options.scale = 1;
    if (mask.defined()) {
      // Dropped pairs have -100 added in timm and -200 in transformers, far below all others.
      const Tensor allowed = allowed_where_kept(mask).unsqueeze(1);
      options.mask = allowed.repeat({qkv[0].size(0) / mask.size(0), 1, 1, 1});
    }
    return attended(normalised(qkv[0]) * factor, normalised(qkv[1]), qkv[2], {position}, options);
  }
};

class SwinV2 : public CosineAttention {};

TEST_P(SwinV2, EqualsThePackage) {
  const int64_t heads = golden.integer("num_heads");
  const Tensor x = golden.in("hidden_states");
  const auto window = golden.integers("window");
  const RelationMap map = grid(window.at(0), window.at(1));
  const auto encoding =
      network("bounded=true", {.heads = heads, .head_width = x.size(2) / heads}, trained(map),
              {golden.w("continuous_position_bias_mlp.0.weight"),
               golden.w("continuous_position_bias_mlp.0.bias"),
               golden.w("continuous_position_bias_mlp.2.weight")});
  const std::vector<Tensor> qkv{
      split_heads(at::linear(x, golden.w("query.weight"), golden.w("query.bias")), heads),
      split_heads(at::linear(x, golden.w("key.weight")), heads),
      split_heads(at::linear(x, golden.w("value.weight"), golden.w("value.bias")), heads)};
  const Tensor mask = golden.has("in/attention_mask") ? golden.read("in/attention_mask") : Tensor();
  const auto result = attend(qkv, {map, encoding->terms(map)}, mask);
  expect({{"attn_probs", result.weights}, {"out", join_heads(result.out)}}, kFloatCoordinates);
}
RELBIAS_GOLDEN_TESTS(SwinV2, cases("image_hf", "swinv2_attention/"));

class TimmSwinV2 : public CosineAttention {};

TEST_P(TimmSwinV2, EqualsThePackage) {
  const int64_t heads = golden.integer("num_heads");
  const Tensor x = golden.in("x");
  const RelationMap map = grid(3, 3);
  const auto encoding = network(
      "bounded=true", {.heads = heads, .head_width = x.size(2) / heads}, map,
      {golden.w("cpb_mlp.0.weight"), golden.w("cpb_mlp.0.bias"), golden.w("cpb_mlp.2.weight")});
  const Tensor bias = at::cat({golden.w("q_bias"), golden.read("w/k_bias"), golden.w("v_bias")});
  std::vector<Tensor> qkv;
  for (const Tensor& part : at::linear(x, golden.w("qkv.weight"), bias).chunk(3, 2)) {
    qkv.push_back(split_heads(part, heads));
  }
  const auto result = attend(qkv, {map, encoding->terms(map)}, golden.read("in/mask"));
  expect(
      {{"out", at::linear(join_heads(result.out), golden.w("proj.weight"), golden.w("proj.bias"))}},
      kFloatCoordinates);
}
RELBIAS_GOLDEN_TESTS(TimmSwinV2, cases("image_timm", "swinv2_window_attention/"));

class CpbBias : public CpbTest {
 protected:
  RelationMap map() const {
    const auto window = golden.integers("window");
    const RelationMap patches = grid(window.at(0), window.at(1));
    const bool class_token = GetParam().group.ends_with("prefix1");
    return class_token ? with_class_token(patches) : patches;
  }
};

TEST_P(CpbBias, EqualsThePackage) {
  const Tensor first = golden.w("mlp.fc1.weight"), bias = golden.w("mlp.fc1.bias");
  const ModelShape shape{.heads = golden.integer("num_heads"), .head_width = 4};
  const auto encoding =
      network("bounded=true", shape, trained(map()), {first, bias, golden.w("mlp.fc2.weight")});
  expect({{"bias", score_of_pairs(encoding->terms(map()), map())}}, kFloatCoordinates);
}
RELBIAS_GOLDEN_TESTS(CpbBias, cases("image_timm", "rel_pos_mlp/swin"));

class PlainLogarithm : public CpbBias {};

// Mode `cr` has ln(1 + |x|): that of a trained side of 9, where 8 x / n is x, times 3 ln 2. Its
// network adds a constant a head, which ours lacks; the class token's bias is 0 in both.
TEST_P(PlainLogarithm, EqualsThePackage) {
  const RelationMap relation = map();
  const RelationMap nine = relation.special.defined() ? with_class_token(grid(9, 9)) : grid(9, 9);
  const auto encoding =
      network("bounded=false", {.heads = golden.integer("num_heads"), .head_width = 4}, nine,
              {golden.w("mlp.fc1.weight") * (3 * std::numbers::ln2), golden.w("mlp.fc1.bias"),
               golden.w("mlp.fc2.weight")});
  const Tensor constant = golden.w("mlp.fc2.bias").view({1, -1, 1, 1});
  Tensor patches = at::ones({relation.queries, relation.keys}, at::kBool);
  if (relation.special.defined()) patches = relation.special.take(relation.pair_rows()[0]) < 0;
  expect({{"bias", score_of_pairs(encoding->terms(relation), relation) + constant * patches}},
         kFloatCoordinates);
}
RELBIAS_GOLDEN_TESTS(PlainLogarithm, cases("image_timm", "rel_pos_mlp/cr"));

}  // namespace
}  // namespace relbias::golden
