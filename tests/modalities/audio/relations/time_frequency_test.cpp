// SPDX-License-Identifier: Apache-2.0
// tests: relation `time-frequency`, its worked example, class token, not square.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "modalities/relation.h"
#include "tests/error_of.h"

namespace relbias::modalities {
namespace {

using ::testing::HasSubstr;

Tensor matrix(const std::vector<int>& values, int64_t width) {
  return at::tensor(values, at::kInt).view({-1, width});
}

RelationMap example(const std::string& options = "") {
  const auto relation = make_relation("time-frequency " + options);
  return relation->map(relation->structure(std::nullopt, std::nullopt));
}

TEST(TimeFrequency, TwoByTwo) {
  const RelationMap map = example();
  EXPECT_EQ(map.rows, 9);
  EXPECT_TRUE(at::equal(map.index, matrix({4, 3, 1, 0, 5, 4, 2, 1, 7, 6, 4, 3, 8, 7, 5, 4}, 4)))
      << map.index;
  EXPECT_TRUE(at::equal(map.offsets[4], at::tensor({0.F, 0.F})));
  EXPECT_TRUE(at::equal(map.offsets[3], at::tensor({0.F, 1.F})));
  EXPECT_TRUE(at::equal(map.offsets[1], at::tensor({1.F, 0.F})));
  EXPECT_FLOAT_EQ(map.distance[0].item<float>(), std::sqrt(2.F));
  EXPECT_DOUBLE_EQ(map.unit_seconds, 0.01);
}

TEST(TimeFrequency, OffsetsAreKeyMinusQueryOnEverySide) {
  for (const std::string sides : {"times=3 bands=2", "times=1 bands=4", "times=5 bands=1"}) {
    const RelationMap map = example(sides);
    const Tensor offsets = map.offsets.index({map.index.to(at::kLong)});  // [Q, K, 2]
    const Tensor difference =
        map.key_coordinates[0].unsqueeze(0) - map.query_coordinates[0].unsqueeze(1);
    EXPECT_TRUE(at::equal(offsets, difference)) << sides;
    EXPECT_TRUE(at::equal(map.distance, map.offsets.norm(2, -1)));
    EXPECT_EQ(map.rows, map.offsets.size(0));
  }
}

TEST(TimeFrequency, TokensStandMomentByMoment) {
  const RelationMap map = example("times=2 bands=3");
  EXPECT_TRUE(at::equal(
      map.key_coordinates[0],
      at::tensor({0.F, 0.F, 0.F, 1.F, 0.F, 2.F, 1.F, 0.F, 1.F, 1.F, 1.F, 2.F}).view({6, 2})));
}

TEST(TimeFrequency, AClassTokenHasThreeIdsOfItsOwn) {
  const RelationMap map = example("class_token=true");
  EXPECT_EQ(map.rows, 12);
  EXPECT_TRUE(at::equal(
      map.index,
      matrix({11, 9, 9, 9, 9, 10, 4, 3, 1, 0, 10, 5, 4, 2, 1, 10, 7, 6, 4, 3, 10, 8, 7, 5, 4}, 5)))
      << map.index;
  EXPECT_TRUE(at::equal(map.special.narrow(0, 9, 3), at::arange(3, at::kLong)));
  EXPECT_EQ(map.special.narrow(0, 0, 9).max().item<int64_t>(), -1);
  EXPECT_EQ(map.distance.narrow(0, 9, 3).abs().max().item<float>(), 0);
  EXPECT_TRUE(map.unplaced[0].item<bool>());
  EXPECT_EQ(map.unplaced.sum().item<int64_t>(), 1);
  EXPECT_EQ(make_relation("time-frequency class_token=true")->traits().special_ids.size(), 3U);
}

TEST(TimeFrequency, FewerQueriesAreTheLast) {
  const auto relation = make_relation("time-frequency");
  const RelationMap map = relation->map({.queries = 1, .keys = 4, .sides = {2, 2}});
  EXPECT_TRUE(at::equal(map.index, matrix({8, 7, 5, 4}, 4)));
}

TEST(TimeFrequency, WhatDoesNotAgreeIsAnError) {
  EXPECT_THAT(error_of([] {
                make_relation("time-frequency")
                    ->map({.queries = 5, .keys = 5, .sides = {2, 2}, .class_token = true});
              }),
              HasSubstr("class_token=false: a sample with a class token found"));
  EXPECT_THAT(error_of([] {
                make_relation("time-frequency times=2 bands=3 class_token=true")
                    ->structure(6, std::nullopt);
              }),
              HasSubstr("6 tokens found, 2 x 3 and a class token = 7 expected"));
}

TEST(TimeFrequency, FramesWithoutBandsAreOneBand) {
  const RelationMap map = make_relation("time-frequency")->map({.queries = 3, .keys = 3});
  EXPECT_EQ(map.sides, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(map.rows, 5);
  EXPECT_EQ(make_relation("time-frequency")->map({}).rows, 0);
}

}  // namespace
}  // namespace relbias::modalities
