// SPDX-License-Identifier: Apache-2.0
// tests: a relation of three axes, and what encodings make of it inside and past the trained range.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "encodings/attention/attention.h"
#include "encodings/encoding.h"
#include "encodings/shared/axis_interpolation.h"
#include "modalities/maps/grid_map.h"
#include "modalities/seed.h"
#include "tests/encodings/gradients.h"
#include "tests/error_of.h"

namespace relbias::encodings {
namespace {

using ::testing::HasSubstr;

/// All that such a relation takes: what it offers, its map, and by which numbers a map is kept.
class Volume final : public Relation {
 public:
  explicit Volume(std::vector<int64_t> sides) : sides_(std::move(sides)) {}
  RelationTraits traits() const override {
    return {.index_class = IndexClass::grid,
            .axes = 3,
            .distance = true,
            .coordinates = 3,
            .places = {"dz", "dy", "dx"}};
  }
  RelationMap map(const Structure& sample) const override {
    return grid_map(sample.sides, sample.class_token, sample.queries);
  }
  std::optional<std::vector<int64_t>> map_key(const Structure& sample) const override {
    return grid_key(sample.sides, sample);
  }
  Structure structure(std::optional<int64_t>, std::optional<int64_t>) const override {
    const int64_t tokens = sides_[0] * sides_[1] * sides_[2];
    return {.queries = tokens, .keys = tokens, .sides = sides_};
  }

 private:
  std::vector<int64_t> sides_;
};

RelationMap map_of(const std::vector<int64_t>& sides) {
  const Volume volume(sides);
  return volume.map(volume.structure({}, {}));
}

const std::vector<int64_t> trained_sides{3, 3, 4};

std::shared_ptr<Encoding> build(const std::string& text) {
  const EncodingContext context{.heads = 2,
                                .head_width = 12,
                                .width = 24,
                                .causal = false,
                                .relation = Volume(trained_sides).traits(),
                                .trained = map_of(trained_sides)};
  return make_encoding(parse_encoding(text), "volume", context, Initialiser(3));
}

// The id row of an offset.
int64_t row_of(const RelationMap& map, const std::vector<float>& offset) {
  const Tensor wanted = at::tensor(offset, at::kFloat);
  return (map.offsets == wanted).all(1).nonzero()[0][0].item<int64_t>();
}

float score_at(const Tensor& score, const RelationMap& map, const std::vector<float>& offset) {
  return score[1][row_of(map, offset)].item<float>();
}

TEST(ThreeAxes, IdsOffsetsAndPlacesAreThoseOfTheCells) {
  const RelationMap map = map_of({2, 3, 2});
  EXPECT_EQ(map.rows, 3 * 5 * 3);
  const auto place = [](int64_t token) {
    return std::array<int64_t, 3>{token / 6, token / 2 % 3, token % 2};
  };
  for (int64_t i = 0; i < 12; ++i) {
    for (int64_t j = 0; j < 12; ++j) {
      const Tensor offset = map.offsets[map.index[i][j].item<int64_t>()];
      for (size_t axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<int64_t>(axis);
        EXPECT_EQ(offset[a].item<float>(), static_cast<float>(place(j)[axis] - place(i)[axis]));
        EXPECT_EQ(map.key_coordinates[0][j][a].item<float>(), static_cast<float>(place(j)[axis]));
      }
    }
  }
  EXPECT_FLOAT_EQ(map.distance[row_of(map, {1, -2, 1})].item<float>(), std::sqrt(6.f));
}

// A third of the channels turns with each axis: the product depends on the three offsets.
TEST(ThreeAxes, RopeTurnsAPartOfTheChannelsWithEach) {
  const auto rope = build("rope");
  const RelationMap map = map_of(trained_sides);
  const Terms terms = rope->terms(map);
  ASSERT_EQ(terms.rotation->blocks, 3);
  ASSERT_EQ(terms.rotation->key_cos.sizes(), at::IntArrayRef({1, 1, 36, 6}));
  for (const int64_t token : {1, 17, 35}) {
    const double place[] = {static_cast<double>(token / 12), static_cast<double>(token / 4 % 3),
                            static_cast<double>(token % 4)};
    for (int64_t pair = 0; pair < 6; ++pair) {
      const double angle = place[pair / 2] * std::pow(10000.0, -static_cast<double>(pair % 2) / 2);
      EXPECT_NEAR(terms.rotation->key_sin[0][0][token][pair].item<double>(), std::sin(angle), 1e-9);
    }
  }
  at::Generator generator = stream(1, "three axes");
  const Tensor x = at::empty({1, 1, 1, 12}, at::kDouble).normal_(0, 1, generator);
  const Tensor same = x.expand({1, 1, 36, 12});
  const Tensor scores = attention_scores(same, same, {{map, terms}}, {}, {})[0][0];
  // (0,0,0)->(1,1,1) and (1,1,2)->(2,2,3)
  EXPECT_NEAR(scores[0][17].item<double>(), scores[18][35].item<double>(), 1e-9);
  EXPECT_GT(std::abs((scores[0][17] - scores[0][18]).item<double>()), 1e-6);
}

TEST(ThreeAxes, DistancesAreEuclidean) {
  const RelationMap map = map_of(trained_sides);
  const Tensor alibi = build("alibi")->terms(map).score;
  EXPECT_NEAR(score_at(alibi, map, {2, -1, 2}) / score_at(alibi, map, {0, 1, 0}), 3.0, 1e-5);
}

TEST(ThreeAxes, ClampGivesTheLastTrainedPlaceOnEveryAxis) {
  const RelationMap large = map_of({4, 3, 6}), trained = map_of(trained_sides);
  for (const char* text :
       {"table init_std=1", "clipped past_range=clamp init_std=1",
        "shaw past_range=clamp init_std=1", "cpb past_range=clamp",
        "t5 past_range=clamp init_std=1", "alibi past_range=clamp", "kerple past_range=clamp"}) {
    const auto encoding = build(text);
    const Terms far = encoding->terms(large), near = encoding->terms(trained);
    const auto row = [](const Terms& terms, const RelationMap& map, const std::vector<float>& at) {
      const int64_t id = row_of(map, at);
      if (terms.score.defined()) return terms.score[1][id];
      return terms.key[1][terms.table_rows.defined() ? terms.table_rows[id].item<int64_t>() : id];
    };
    EXPECT_LT(distance(row(far, large, {3, -2, 5}), row(near, trained, {2, -2, 3})), 1e-6) << text;
    EXPECT_LT(distance(row(far, large, {-1, 0, -4}), row(near, trained, {-1, 0, -3})), 1e-6)
        << text;
  }
}

// Ends of the larger volume are those of the trained one; halfway is between two cells.
TEST(ThreeAxes, InterpolateMapsTheLargerVolumeOntoTheTrained) {
  const RelationMap large = map_of({5, 3, 7}), trained = map_of(trained_sides);
  for (const char* text : {"cpb past_range=interpolate", "alibi past_range=interpolate",
                           "table past_range=interpolate init_std=1",
                           "table past_range=interpolate kernel=linear init_std=1"}) {
    const auto encoding = build(text);
    const Tensor far = encoding->terms(large).score, near = encoding->terms(trained).score;
    EXPECT_NEAR(score_at(far, large, {4, 2, -6}), score_at(near, trained, {2, 2, -3}), 1e-5)
        << text;
    EXPECT_NEAR(score_at(far, large, {2, -1, 4}), score_at(near, trained, {1, -1, 2}), 1e-5)
        << text;
  }
  const auto table = build("table past_range=interpolate kernel=linear init_std=1");
  const Tensor far = table->terms(large).score, near = table->terms(trained).score;
  EXPECT_NEAR(score_at(far, large, {1, 0, 0}),
              (score_at(near, trained, {0, 0, 0}) + score_at(near, trained, {1, 0, 0})) / 2, 1e-5);
  // Cells of a picture keep the place of their centres: 5 on 3, the last at 4.5 * 3/5 - 0.5.
  const Terms turned = build("rope past_range=interpolate")->terms(large);
  EXPECT_NEAR(turned.rotation->key_sin[0][0][4 * 21][0].item<double>(), std::sin(2.2), 1e-6);
}

TEST(ThreeAxes, WhatIsWrittenForTwoSaysSo) {
  EXPECT_THAT(error_of([] { build("cpe"); }), HasSubstr("a line or on a grid"));
  EXPECT_THAT(error_of([] { build("rope axes=mixed"); }), HasSubstr("two coordinates"));
}

// On two axes it is what LibTorch has for pictures, borders included.
TEST(AxisInterpolation, IsThatOfPicturesOnTwoAxes) {
  at::Generator generator = stream(2, "three axes");
  const Tensor table = at::empty({2, 5 * 7}, at::kDouble).normal_(0, 1, generator);
  const Tensor places = at::empty({50, 2}, at::kDouble).uniform_(-0.5, 6.5, generator);
  const Tensor y = places.select(1, 0) / 2 - 1, x = places.select(1, 1) / 3 - 1;
  const Tensor grid = at::stack({x, y}, 1).view({1, 1, -1, 2});
  for (const bool cubic : {false, true}) {
    const Tensor expected =
        at::grid_sampler_2d(table.view({1, 2, 5, 7}), grid, cubic ? 2 : 0, 1, true).view({2, 50});
    const Tensor found = interpolated_over_axes(table, {5, 7}, places, cubic);
    // Outside, LibTorch's bicubic goes on from the border cell by its own fraction.
    const Tensor inside = (y.abs() <= 1).logical_and(x.abs() <= 1);
    EXPECT_LT(distance(found.masked_fill(inside.logical_not(), 0),
                       expected.masked_fill(inside.logical_not(), 0)),
              1e-12);
  }
}

TEST(AxisInterpolation, WorkedExample) {
  const Tensor table = at::tensor({0., 1., 4.}, at::kDouble).view({1, 3});
  const Tensor places = at::tensor({0.5, 2.5}, at::kDouble).view({2, 1});
  EXPECT_LT(distance(interpolated_over_axes(table, {3}, places, false),
                     at::tensor({0.5, 4.}, at::kDouble).view({1, 2})),
            1e-12);
}

}  // namespace
}  // namespace relbias::encodings
