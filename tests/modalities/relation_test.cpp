// SPDX-License-Identifier: Apache-2.0
// tests: what evaluated relations share: ids of pairs, batches with padding.
#include "modalities/relation.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

namespace relbias::modalities {
namespace {

// A pair relation of `size` tokens whose every number tells where it stands.
RelationMap pairs(int64_t size, int64_t first) {
  RelationMap map;
  map.index_class = IndexClass::pairs;
  map.queries = map.keys = size;
  map.rows = 100;
  map.index = at::arange(first, first + size * size, at::kInt).view({1, size, size});
  map.features = at::arange(size * size * 2, at::kFloat).view({1, size, size, 2}) + 1;
  map.query_coordinates = at::arange(size * 3, at::kFloat).view({1, size, 3}) + 1;
  map.key_coordinates = -map.query_coordinates;
  map.offsets = at::ones({100, 1});
  return map;
}

TEST(Stack, PadsEverySampleToTheBatch) {
  const RelationMap batch = stack({pairs(2, 1), pairs(3, 50)}, 4);
  EXPECT_EQ(batch.queries, 4);
  EXPECT_EQ(batch.keys, 4);
  EXPECT_EQ(batch.rows, 100);
  const at::Tensor expected = at::zeros({2, 4, 4}, at::kInt);
  expected[0].narrow(0, 0, 2).narrow(1, 0, 2).copy_(at::arange(1, 5, at::kInt).view({2, 2}));
  expected[1].narrow(0, 0, 3).narrow(1, 0, 3).copy_(at::arange(50, 59, at::kInt).view({3, 3}));
  EXPECT_TRUE(at::equal(batch.index, expected)) << batch.index;
  EXPECT_EQ(batch.index.scalar_type(), at::kInt);
}

TEST(Stack, PadsFeaturesAndCoordinatesAlike) {
  const RelationMap batch = stack({pairs(2, 1), pairs(3, 50)}, 4);
  ASSERT_EQ(batch.features.sizes(), at::IntArrayRef({2, 4, 4, 2}));
  ASSERT_EQ(batch.query_coordinates.sizes(), at::IntArrayRef({2, 4, 3}));
  ASSERT_EQ(batch.key_coordinates.sizes(), at::IntArrayRef({2, 4, 3}));
  // 2x2 pairs of two features 1..8, and 3x3 pairs 1..18; padding adds nothing.
  EXPECT_EQ(batch.features[0].sum().item<float>(), 36);
  EXPECT_EQ(batch.features[1].sum().item<float>(), 171);
  EXPECT_EQ(batch.features[0][1][0][1].item<float>(), 6);
  EXPECT_EQ(batch.features[0][2].abs().sum().item<float>(), 0);
  EXPECT_EQ(batch.key_coordinates[0][1][2].item<float>(), -6);
  EXPECT_EQ(batch.key_coordinates[0][2].abs().sum().item<float>(), 0);
}

TEST(Stack, PadsTheTokensWithoutAPlace) {
  RelationMap first = pairs(2, 1), second = pairs(3, 50);
  first.unplaced = at::arange(2) == 0;
  second.unplaced = at::arange(3) == 0;
  EXPECT_TRUE(at::equal(stack({first, second}, 4).unplaced, at::arange(4) == 0));
}

TEST(Stack, OneSampleOfTheFullSizeIsUnchanged) {
  const RelationMap sample = pairs(3, 7);
  const RelationMap batch = stack({sample}, 3);
  EXPECT_TRUE(at::equal(batch.index, sample.index));
  EXPECT_TRUE(at::equal(batch.features, sample.features));
}

// As of a cache or of a second stream: queries and keys are padded each to its own size.
TEST(Stack, QueriesAndKeysMayDiffer) {
  const auto last = [](RelationMap map, int64_t queries) {
    map.index = map.index.narrow(1, map.keys - queries, queries);
    map.features = map.features.narrow(1, map.keys - queries, queries);
    map.query_coordinates = map.query_coordinates.narrow(1, map.keys - queries, queries);
    map.queries = queries;
    return map;
  };
  const RelationMap first = last(pairs(3, 1), 1), second = last(pairs(4, 50), 2);
  const RelationMap batch = stack({first, second}, {2, 5});
  EXPECT_EQ(batch.queries, 2);
  EXPECT_EQ(batch.keys, 5);
  ASSERT_EQ(batch.index.sizes(), at::IntArrayRef({2, 2, 5}));
  ASSERT_EQ(batch.features.sizes(), at::IntArrayRef({2, 2, 5, 2}));
  ASSERT_EQ(batch.query_coordinates.sizes(), at::IntArrayRef({2, 2, 3}));
  ASSERT_EQ(batch.key_coordinates.sizes(), at::IntArrayRef({2, 5, 3}));
  EXPECT_TRUE(at::equal(batch.index[0].narrow(0, 0, 1).narrow(1, 0, 3), first.index[0]));
  EXPECT_EQ(batch.index[0][1].abs().sum().item<int64_t>(), 0);
  EXPECT_TRUE(at::equal(batch.index[1].narrow(1, 0, 4), second.index[0]));
  EXPECT_TRUE(at::equal(batch.query_coordinates[1], second.query_coordinates[0]));
  EXPECT_THROW(stack({first, second}, {1, 5}), c10::Error);
}

TEST(Stack, LineAndGridAreTheSameForAllSamples) {
  RelationMap grid;
  grid.index_class = IndexClass::grid;
  grid.queries = grid.keys = 2;
  grid.index = at::arange(4, at::kInt).view({2, 2});
  EXPECT_TRUE(at::equal(stack({grid, grid}, 2).index, grid.index));
}

TEST(Stack, UnlikeSamplesAreOurFault) {
  RelationMap other = pairs(2, 1);
  other.rows = 5;
  EXPECT_THROW(stack({pairs(2, 1), other}, 2), c10::Error);
  EXPECT_THROW(stack({pairs(3, 1)}, 2), c10::Error);
  EXPECT_THROW(stack({}, 2), c10::Error);
}

TEST(PairRows, AddTheBatchDimension) {
  RelationMap grid;
  grid.index_class = IndexClass::grid;
  grid.index = at::arange(6, at::kByte).view({2, 3});
  EXPECT_TRUE(at::equal(grid.pair_rows(), at::arange(6).view({1, 2, 3})));
  EXPECT_TRUE(at::equal(pairs(2, 9).pair_rows(), at::arange(9, 13).view({1, 2, 2})));
}

TEST(PairRows, OfALineCountFromTheFarthestPast) {
  RelationMap line;
  line.queries = 2;
  line.keys = 3;
  EXPECT_TRUE(
      at::equal(line.pair_rows(), at::tensor({1, 2, 3, 0, 1, 2}, at::kLong).view({1, 2, 3})));
}

TEST(To, MovesOnlyWhatThereIs) {
  const RelationMap moved = pairs(2, 1).to(at::kCPU);
  EXPECT_TRUE(moved.features.defined());
  EXPECT_FALSE(moved.special.defined());
}

TEST(MakeRelation, UnknownNamesListTheValid) {
  EXPECT_THAT([] { make_relation("tokens"); },
              testing::ThrowsMessage<InputError>(
                  testing::HasSubstr("unknown relation 'tokens': did you mean 'token'?")));
  EXPECT_THAT([] { make_relation("token width=3"); },
              testing::ThrowsMessage<InputError>(testing::HasSubstr("'width'")));
}

}  // namespace
}  // namespace relbias::modalities
