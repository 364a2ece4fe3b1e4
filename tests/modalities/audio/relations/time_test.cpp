// SPDX-License-Identifier: Apache-2.0
// tests: relation `time`, its worked example, Q != K, the hop.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "modalities/relation.h"
#include "tests/error_of.h"

namespace relbias::modalities {
namespace {

Tensor offsets_of(const RelationMap& map) {
  return map.offsets.squeeze(1).index({map.pair_rows()[0]}).to(at::kLong);
}

Tensor rows(const std::vector<int64_t>& values, int64_t width) {
  return at::tensor(values, at::kLong).view({-1, width});
}

TEST(Time, ThreeFrames) {
  const auto time = make_relation("time");
  const RelationMap map = time->map({.queries = 3, .keys = 3, .hop_seconds = 0.04});
  EXPECT_TRUE(at::equal(offsets_of(map), rows({0, 1, 2, -1, 0, 1, -2, -1, 0}, 3)));
  EXPECT_TRUE(at::equal(map.distance, map.offsets.squeeze(1).abs()));
  EXPECT_DOUBLE_EQ(map.unit_seconds, 0.04);
  EXPECT_EQ(map.sides, (std::vector<int64_t>{3}));
}

TEST(Time, TheLastQueryStandsAtTheLastKey) {
  const auto time = make_relation("time");
  const RelationMap map = time->map(time->structure(2, 4));
  EXPECT_TRUE(at::equal(offsets_of(map), rows({-2, -1, 0, 1, -3, -2, -1, 0}, 4)));
  const Tensor difference = map.key_coordinates[0].t() - map.query_coordinates[0];
  EXPECT_TRUE(at::equal(difference.to(at::kLong), offsets_of(map)));
}

TEST(Time, MoreQueriesThanKeysStandBeforeTheFirst) {
  const auto time = make_relation("time");
  const RelationMap map = time->map(time->structure(3, 2));
  EXPECT_TRUE(at::equal(map.query_coordinates.flatten(), at::tensor({-1.f, 0.f, 1.f})));
}

TEST(Time, OneFrameAndNone) {
  const auto time = make_relation("time");
  EXPECT_EQ(time->map(time->structure(1, 1)).rows, 1);
  EXPECT_EQ(time->map(time->structure(0, 0)).rows, 0);
}

TEST(Time, InFramesTheHopStaysBehind) {
  const auto time = make_relation("time unit=frames");
  EXPECT_EQ(time->map({.queries = 3, .keys = 3, .hop_seconds = 0.04}).unit_seconds, 0);
}

TEST(Time, PatchesAreNoLine) {
  const auto message = error_of([] {
    make_relation("time")->map({.queries = 6, .keys = 6, .sides = {3, 2}});
  });
  EXPECT_THAT(message, ::testing::HasSubstr("3 x 2 patches, one token a frame expected"));
  EXPECT_THAT(message, ::testing::HasSubstr("use relation time-frequency"));
}

}  // namespace
}  // namespace relbias::modalities
