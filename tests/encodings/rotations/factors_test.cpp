// SPDX-License-Identifier: Apache-2.0
// tests: factors of rotations: YaRN's on cos, sin and scores; xpos' within float32.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "encodings/attention/attention.h"
#include "tests/encodings/gradients.h"
#include "tests/encodings/worked.h"

namespace relbias::encodings {
namespace {

using ::testing::HasSubstr;

RelationMap line(int64_t tokens) {
  const auto relation = make_relation("token");
  return relation->map(relation->structure(tokens, tokens));
}

std::shared_ptr<Encoding> build(const std::string& text, int64_t trained) {
  const EncodingContext context{.heads = 1,
                                .head_width = 8,
                                .width = 8,
                                .causal = true,
                                .relation = make_relation("token")->traits(),
                                .trained = line(trained)};
  return make_encoding(parse_encoding(text), "token", context, Initialiser(1));
}

// DeepSeek-V2: factor 40 and both 0.707: cos and sin times 1, scores times 1.2608038^2.
TEST(Yarn, MscaleOfAllDimensionsScalesTheScores) {
  const std::string yarn = "rope scaling=yarn factor=40 trained=4096";
  const RelationMap map = line(6);
  const Terms both = build(yarn + " mscale=0.707 mscale_all_dim=0.707", 6)->terms(map);
  EXPECT_NEAR(both.rotation->key_cos[0][0][0][0].item<double>(), 1.0, 1e-12);
  EXPECT_NEAR(both.scale_factor, 1.2608038 * 1.2608038, 1e-6);
  const Terms plain = build(yarn, 6)->terms(map);
  EXPECT_NEAR(plain.rotation->key_cos[0][0][0][0].item<double>(), 1.3688879, 1e-6);
  EXPECT_EQ(plain.scale_factor, 1.0);

  const Tensor q = at::ones({1, 1, 6, 8}, at::kDouble);
  Terms unscaled = both;
  unscaled.scale_factor = 1;
  for (const std::optional<double>& scale : {std::optional<double>(), std::optional(0.5)}) {
    const AttentionOptions options{.scale = scale};
    EXPECT_LT(distance(attention_scores(q, q, {{map, both}}, options, {}),
                       attention_scores(q, q, {{map, unscaled}}, options, {}) * both.scale_factor),
              1e-12);
  }
}

TEST(Xpos, IsFiniteUpToWhatFloat32HoldsAndUndefinedBeyond) {
  for (const double base : {1.0, 4.0, 512.0}) {
    const auto xpos = build("xpos scale_base=" + std::to_string(base), 8);
    const auto longest = static_cast<int64_t>(120 * base);
    const RelationMap map = line(std::min<int64_t>(longest, 2048));
    ASSERT_FALSE(xpos->undefined_at(map).has_value()) << *xpos->undefined_at(map);
    const Tensor x = at::ones({1, 1, map.keys, 8});
    const Tensor scores = attention_scores(x, x, {{map, xpos->terms(map)}}, {}, {})[0][0];
    EXPECT_TRUE(at::isfinite(scores.tril()).all().item<bool>());
    // What is turned by nothing decays with the distance and never grows: at most x.x.
    EXPECT_LT(scores.tril().abs().max().item<double>(), 8 / std::sqrt(8.0) + 1e-4);
  }
  const auto short_base = build("xpos scale_base=1", 8);
  const RelationMap large = line(1024);
  ASSERT_TRUE(short_base->undefined_at(large).has_value());
  EXPECT_THAT(*short_base->undefined_at(large), HasSubstr("over 1024 tokens"));
  EXPECT_THAT(*short_base->undefined_at(large), HasSubstr("scale_base of at least"));
  EXPECT_THROW(short_base->terms(large), InputError);
}

}  // namespace
}  // namespace relbias::encodings
