// SPDX-License-Identifier: Apache-2.0
// tests: relation `token`, the worked examples of its doc comment and Q != K.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "modalities/relation.h"
#include "modalities/seed.h"
#include "tests/error_of.h"

namespace relbias::modalities {
namespace {

// The offset that every pair of the map stands for, [Q][K].
std::vector<std::vector<int>> offsets(int64_t queries, int64_t keys) {
  const auto token = make_relation("token");
  const RelationMap map = token->map(token->structure(queries, keys));
  const at::Tensor rows = map.pair_rows()[0];
  std::vector<std::vector<int>> all(static_cast<size_t>(queries));
  for (int64_t i = 0; i < queries; ++i) {
    for (int64_t j = 0; j < keys; ++j) {
      const int64_t row = rows[i][j].item<int64_t>();
      all[static_cast<size_t>(i)].push_back(map.offsets[row][0].item<int>());
      EXPECT_EQ(map.distance[row].item<int>(), std::abs(map.offsets[row][0].item<int>()));
    }
  }
  return all;
}

using Rows = std::vector<std::vector<int>>;

TEST(Token, ThreeTokens) { EXPECT_EQ(offsets(3, 3), (Rows{{0, 1, 2}, {-1, 0, 1}, {-2, -1, 0}})); }

// Seen elsewhere: a cached query taken for the first token. A cached query stands at the last key,
// not at the first.
TEST(Token, TheLastQueryStandsAtTheLastKey) {
  EXPECT_EQ(offsets(1, 3), (Rows{{-2, -1, 0}}));
  EXPECT_EQ(offsets(2, 4), (Rows{{-2, -1, 0, 1}, {-3, -2, -1, 0}}));
  const Rows whole = offsets(7, 7);
  for (int64_t queries = 1; queries <= 7; ++queries) {
    const Rows last(whole.end() - queries, whole.end());
    EXPECT_EQ(offsets(queries, 7), last) << queries;
  }
}

TEST(Token, CoordinatesAgreeWithOffsets) {
  const auto token = make_relation("token");
  const RelationMap map = token->map(token->structure(2, 5));
  const at::Tensor difference = map.key_coordinates[0].transpose(0, 1) - map.query_coordinates[0];
  const at::Tensor offset = map.offsets.squeeze(1).index({map.pair_rows()[0]});
  EXPECT_TRUE(at::equal(difference, offset)) << difference << offset;
}

TEST(Token, OneTokenAndNone) {
  EXPECT_EQ(offsets(1, 1), (Rows{{0}}));
  const auto token = make_relation("token");
  const RelationMap empty = token->map(token->structure(0, 0));
  EXPECT_EQ(empty.rows, 0);
  EXPECT_EQ(empty.pair_rows().numel(), 0);
}

TEST(Token, NeverMaterialisesItsPairs) {
  const auto token = make_relation("token");
  const RelationMap map = token->map(token->structure(1000, 1000));
  EXPECT_EQ(map.rows, 1999);
  EXPECT_FALSE(map.index.defined());
}

TEST(Token, StructureFillsInWhatIsNotGiven) {
  const auto token = make_relation("token");
  const Structure both = token->structure(3, std::nullopt);
  EXPECT_EQ(both.queries, 3);
  EXPECT_EQ(both.keys, 3);
  EXPECT_GT(token->structure(std::nullopt, std::nullopt).keys, 0);
}

// Positions of a random sequence: sorted, without replacement, others in every draw.
TEST(Token, RandomizeDrawsPositionsOfEverySequence) {
  const auto token = make_relation("token randomize=16");
  EXPECT_TRUE(token->is_random());
  EXPECT_EQ(token->traits().index_class, IndexClass::pairs);
  at::Generator generator = stream(1, "token test");
  const Structure line{.queries = 4, .keys = 4};
  const at::Tensor first = token->with_random_positions(line, generator).positions;
  const at::Tensor second = token->with_random_positions(line, generator).positions;
  for (const at::Tensor& positions : {first, second}) {
    EXPECT_EQ(positions.numel(), 4);
    EXPECT_TRUE((positions.diff() > 0).all().item<bool>()) << positions;
    EXPECT_GE(positions[0].item<int64_t>(), 0);
    EXPECT_LT(positions[3].item<int64_t>(), 16);
  }
  EXPECT_FALSE(at::equal(first, second));
}

// Positions 2 3 9 of 0..9, R = 19 rows with offsets -9..9: query 9 stands 7 after key 2.
TEST(Token, RandomPositionsDecideTheIds) {
  const auto token = make_relation("token randomize=10");
  Structure line{.queries = 3, .keys = 3};
  line.positions = at::tensor({2, 3, 9}, at::kLong);
  const RelationMap map = token->map(line);
  EXPECT_EQ(map.rows, 19);
  const at::Tensor offset = map.offsets.squeeze(1).index({map.pair_rows()[0]});
  EXPECT_TRUE(
      at::equal(offset, at::tensor({0.f, 1.f, 7.f, -1.f, 0.f, 6.f, -7.f, -6.f, 0.f}).view({3, 3})))
      << offset;
}

TEST(Token, RandomizeRefusesMoreTokensThanPositions) {
  const auto token = make_relation("token randomize=4");
  at::Generator generator = stream(1, "token test");
  EXPECT_THROW(token->with_random_positions({.queries = 5, .keys = 5}, generator), InputError);
}

// Its queries have positions of their own only where they are the last of its keys.
TEST(Token, RandomizeRefusesMoreQueriesThanKeys) {
  const auto token = make_relation("token randomize=16");
  EXPECT_THAT(error_of([&] { token->map(token->structure(5, 3)); }),
              testing::HasSubstr("randomize=16: 5 queries and 3 keys found, at most as many"));
}

}  // namespace
}  // namespace relbias::modalities
