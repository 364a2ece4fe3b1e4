// SPDX-License-Identifier: Apache-2.0
// tests: relation `grid`, the worked examples of its doc comment, class tokens and odd shapes.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "modalities/relation.h"
#include "tests/error_of.h"

namespace relbias::modalities {
namespace {

using testing::HasSubstr;
using Rows = std::vector<std::vector<int64_t>>;

RelationMap map_of(const std::string& options, std::optional<int64_t> queries = std::nullopt,
                   std::optional<int64_t> keys = std::nullopt) {
  const auto grid = make_relation("grid " + options);
  return grid->map(grid->structure(queries, keys));
}

Rows ids(const RelationMap& map) {
  const at::Tensor rows = map.pair_rows()[0];
  Rows all;
  for (int64_t i = 0; i < rows.size(0); ++i) {
    all.emplace_back(rows[i].data_ptr<int64_t>(), rows[i].data_ptr<int64_t>() + rows.size(1));
  }
  return all;
}

int64_t distinct(const RelationMap& map) {
  return std::get<0>(at::_unique(map.pair_rows())).size(0);
}

// Seen elsewhere: the wrong multiplier, right on square windows.
TEST(Grid, PublishedOrderOfIds) {
  EXPECT_EQ(ids(map_of("height=2 width=2")),
            (Rows{{4, 3, 1, 0}, {5, 4, 2, 1}, {7, 6, 4, 3}, {8, 7, 5, 4}}));
  EXPECT_EQ(ids(map_of("height=1 width=2")), (Rows{{1, 0}, {2, 1}}));
  const RelationMap wide = map_of("height=2 width=3");
  EXPECT_EQ(ids(wide).front(), (std::vector<int64_t>{7, 6, 5, 2, 1, 0}));
  EXPECT_EQ(ids(wide).back(), (std::vector<int64_t>{14, 13, 12, 9, 8, 7}));
  EXPECT_EQ(distinct(wide), 15);
  EXPECT_EQ(wide.rows, 15);
  EXPECT_EQ(wide.pair_rows().max().item<int64_t>(), 14);
  EXPECT_EQ(distinct(map_of("height=7 width=7")), 169);
}

// Seen elsewhere: rows of the class token mixed up.
TEST(Grid, ClassTokenHasThreeIdsOfItsOwn) {
  const RelationMap map = map_of("height=2 width=2 class_token=true");
  EXPECT_EQ(map.rows, 12);
  EXPECT_EQ(ids(map), (Rows{{11, 9, 9, 9, 9},
                            {10, 4, 3, 1, 0},
                            {10, 5, 4, 2, 1},
                            {10, 7, 6, 4, 3},
                            {10, 8, 7, 5, 4}}));
  EXPECT_TRUE(at::equal(map.special.slice(0, 9), at::arange(3)));
  EXPECT_TRUE((map.special.slice(0, 0, 9) == -1).all().item<bool>());
  EXPECT_TRUE(at::equal(map.unplaced, at::arange(5) == 0));
  EXPECT_EQ(make_relation("grid class_token=true")->traits().special_ids.size(), 3U);
  EXPECT_TRUE(make_relation("grid")->traits().special_ids.empty());
}

// Seen elsewhere: axes swapped twice, right on squares.
TEST(Grid, AxesAreNotExchanged) {
  const RelationMap map = map_of("height=3 width=4");
  const at::Tensor place = map.key_coordinates[0].to(at::kLong);
  EXPECT_TRUE(at::equal(place.select(1, 0), at::arange(12).div(4, "floor")));
  EXPECT_TRUE(at::equal(place.select(1, 1), at::arange(12).remainder(4)));
  EXPECT_EQ(map.pair_rows().min().item<int64_t>(), 0);
  EXPECT_EQ(map.pair_rows().max().item<int64_t>(), 34);
  EXPECT_EQ(distinct(map), 35);
  EXPECT_EQ(map.sides, (std::vector<int64_t>{3, 4}));
}

TEST(Grid, OffsetsAreKeyMinusQueryEverywhere) {
  for (const char* shape : {"height=3 width=4", "height=1 width=5", "height=5 width=1",
                            "height=1 width=1", "height=2 width=6"}) {
    const RelationMap map = map_of(shape);
    const at::Tensor apart =
        map.key_coordinates[0].unsqueeze(0) - map.query_coordinates[0].unsqueeze(1);  // [Q, K, 2]
    const at::Tensor said = map.offsets.index({map.pair_rows()[0]});
    EXPECT_TRUE(at::equal(apart, said)) << shape;
    EXPECT_EQ(map.rows, map.offsets.size(0)) << shape;
  }
}

TEST(Grid, ThreeMeasuresOfDistance) {
  const auto between = [](const char* measure) {  // from (0, 0) to (1, 2)
    const RelationMap map = map_of(std::string("height=2 width=3 distance=") + measure);
    return map.distance[map.pair_rows()[0][0][5]].item<double>();
  };
  EXPECT_NEAR(between("euclidean"), 2.2360680, 1e-6);
  EXPECT_EQ(between("chebyshev"), 2);
  EXPECT_EQ(between("manhattan"), 3);
}

// Seen elsewhere: a cached query taken for the first token.
TEST(Grid, TheLastQueriesAreAskedFor) {
  const Rows whole = ids(map_of("height=2 width=3 class_token=true"));
  for (int64_t queries = 1; queries <= 7; ++queries) {
    const RelationMap map = map_of("height=2 width=3 class_token=true", queries);
    EXPECT_EQ(ids(map), Rows(whole.end() - queries, whole.end())) << queries;
    EXPECT_EQ(map.query_coordinates.size(1), queries);
  }
}

TEST(Grid, TokensSettleSidesThatAreLeftOpen) {
  const auto sides = [](const std::string& options, int64_t keys) {
    return make_relation("grid " + options)->structure(std::nullopt, keys).sides;
  };
  EXPECT_EQ(sides("", 9), (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(sides("class_token=true", 10), (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(sides("height=2", 6), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(sides("width=2", 6), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(make_relation("grid")->structure(std::nullopt, std::nullopt).keys, 4);
  EXPECT_EQ(make_relation("grid height=2 width=2 class_token=true")->structure(5, 5).keys, 5);
}

TEST(Grid, SizesThatDisagreeAreErrors) {
  const auto structure = [](const std::string& options, int64_t queries, int64_t keys) {
    return error_of([&] { make_relation("grid " + options)->structure(queries, keys); });
  };
  EXPECT_THAT(structure("height=2 width=2", 5, 5), HasSubstr("4 tokens expected: 2x2 patches"));
  EXPECT_THAT(structure("height=2 width=2 class_token=true", 4, 4),
              HasSubstr("5 tokens expected: 2x2 patches and a class token"));
  EXPECT_THAT(structure("height=2 width=2", 5, 4), HasSubstr("5 queries and 4 keys found"));
  EXPECT_THAT(structure("", 8, 8), HasSubstr("8 patches found, a square number"));
  EXPECT_THAT(structure("height=3", 7, 7), HasSubstr("7 patches found, a multiple of 3"));
  EXPECT_THAT(error_of([] { map_of("height=3"); }), HasSubstr("height found without width"));
  EXPECT_THAT(error_of([] { map_of("height=-1 width=2"); }), HasSubstr("0 to 32768"));
}

TEST(Grid, TooManyPlacesForTheirPairsAreRefused) {
  EXPECT_EQ(error_of([] { map_of("height=129 width=128"); }),
            "a grid of 129x128 found, at most 16384 places expected: each pair has an id");
}

TEST(Grid, SamplesThatAreNoSuchGridAreErrors) {
  const auto refusal = [](const std::string& options, const Structure& sample) {
    return error_of([&] { make_relation("grid " + options)->map(sample); });
  };
  EXPECT_THAT(refusal("", {.queries = 4, .keys = 4}), HasSubstr("tokens with 0 sides found"));
  EXPECT_THAT(refusal("", {.queries = 5, .keys = 5, .sides = {2, 2}}),
              HasSubstr("4 tokens expected on 2x2"));
  EXPECT_THAT(refusal("height=3 width=3", {.queries = 4, .keys = 4, .sides = {2, 2}}),
              HasSubstr("a grid of 2x2 found"));
  EXPECT_THAT(refusal("", {.queries = 5, .keys = 5, .sides = {2, 2}, .class_token = true}),
              HasSubstr("samples with a class token, class_token=false found"));
  EXPECT_THAT(refusal("class_token=true", {.queries = 4, .keys = 4, .sides = {2, 2}}),
              HasSubstr("samples without a class token, class_token=true found"));
}

TEST(Grid, AnEmptyGridHasNoPairs) {
  const RelationMap map = make_relation("grid")->map({.sides = {0, 3}});
  EXPECT_EQ(map.rows, 0);
  EXPECT_EQ(map.pair_rows().numel(), 0);
  const auto with_class = make_relation("grid class_token=true");
  const RelationMap one =
      with_class->map({.queries = 1, .keys = 1, .sides = {0, 0}, .class_token = true});
  EXPECT_EQ(one.rows, 3);
  EXPECT_EQ(ids(one), (Rows{{2}}));
}

}  // namespace
}  // namespace relbias::modalities
