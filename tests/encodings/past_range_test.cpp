// SPDX-License-Identifier: Apache-2.0
// tests: what encodings do on grids larger than the trained one, and what a class token gets.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "encodings/encoding.h"
#include "tests/encodings/worked.h"

namespace relbias::encodings {
namespace {

RelationMap grid(const std::string& options) {
  const auto relation = make_relation("grid " + options);
  return relation->map(relation->structure(std::nullopt, std::nullopt));
}

std::shared_ptr<Encoding> trained_on(const std::string& grid_options, const std::string& encoding) {
  const auto relation = make_relation("grid " + grid_options);
  const EncodingContext context{.heads = 2,
                                .head_width = 8,
                                .width = 16,
                                .relation = relation->traits(),
                                .trained = grid(grid_options)};
  return make_encoding(parse_encoding(encoding), "grid", context, Initialiser(1));
}

// The angles of axial rope with base 1: the places themselves, rows and columns.
Tensor places(Encoding& rope, const RelationMap& map) {
  const auto rotation = *rope.terms(map).rotation;
  const Tensor angle = at::atan2(rotation.key_sin, rotation.key_cos)[0][0];  // [K, 2 * pairs]
  return at::stack({angle.select(1, 0), angle.select(1, angle.size(1) / 2)}, 1);
}

TEST(PastRange, CentresOfCellsStayWhereTheyAreInThePicture) {
  const auto rope = trained_on("height=2 width=2", "rope base=1 past_range=interpolate");
  const Tensor found = places(*rope, grid("height=4 width=3"));
  // (x + 1/2) * trained / side - 1/2
  const Tensor rows_of = at::tensor({-0.25, 0.25, 0.75, 1.25}).repeat_interleave(3);
  const Tensor columns_of = at::tensor({-1.0 / 6, 0.5, 7.0 / 6}).repeat({4});
  EXPECT_CLOSE(found, at::stack({rows_of, columns_of}, 1), 1e-6);
  const Tensor same = places(*rope, grid("height=2 width=2"));
  EXPECT_CLOSE(same, rows({{0, 0}, {0, 1}, {1, 0}, {1, 1}}), 1e-6);
}

// A side that is not larger than the trained one stays as it is.
TEST(PastRange, EverySideIsOnItsOwn) {
  const auto rope = trained_on("height=4 width=2", "rope base=1 past_range=interpolate");
  const Tensor found = places(*rope, grid("height=2 width=4"));
  EXPECT_CLOSE(found.select(1, 0), at::tensor({0., 0., 0., 0., 1., 1., 1., 1.}), 1e-6);
  EXPECT_CLOSE(found.select(1, 1).slice(0, 0, 4), at::tensor({-0.25, 0.25, 0.75, 1.25}), 1e-6);
}

TEST(PastRange, AClassTokenHasNoPlaceToMove) {
  const auto rope =
      trained_on("height=2 width=2 class_token=true", "rope base=1 past_range=interpolate");
  const Tensor found = places(*rope, grid("height=4 width=4 class_token=true"));
  EXPECT_CLOSE(found[0], at::tensor({0., 0.}), 0);
  EXPECT_CLOSE(found[1], at::tensor({-0.25, -0.25}), 1e-6);
}

TEST(PastRange, OffsetsKeepTheEndsOfATable) {
  const auto clipped = trained_on("height=3 width=3", "clipped past_range=interpolate");
  const RelationMap wide = grid("height=3 width=5");
  const Tensor same = clipped->terms(grid("height=3 width=3")).score;
  const Tensor score = clipped->terms(wide).score;
  // Offset 4 of 5 columns is offset 2 of 3, offset 2 is 1: row 0 of the ids is (2, 4).
  EXPECT_CLOSE(score.select(1, 0), same.select(1, 0), 1e-7);
  EXPECT_CLOSE(score.select(1, 2), same.select(1, 1), 1e-7);
}

TEST(Learned, HasAVectorACellOfAGrid) {
  const auto learned = trained_on("height=2 width=3", "learned past_range=interpolate");
  const Tensor table = learned->named_parameters()["table"];  // [6, 16]
  const Tensor none = at::zeros({1, 6, 16});
  EXPECT_CLOSE(learned->tokens(none, grid("height=2 width=3"))[0], table, 0);
  const Tensor wide = learned->tokens(at::zeros({1, 24, 16}), grid("height=4 width=6"))[0];
  // Rows 0 0.25 0.75 1, columns 0 0.25 0.75 1.25 1.75 2 of the trained cells.
  EXPECT_CLOSE(wide[0], table[0], 1e-7);
  EXPECT_CLOSE(wide[1], 0.75 * table[0] + 0.25 * table[1], 1e-6);
  EXPECT_CLOSE(wide[6], 0.75 * table[0] + 0.25 * table[3], 1e-6);
  EXPECT_CLOSE(wide[23], table[5], 1e-7);
}

TEST(Learned, IsUndefinedOnLargerGridsUnlessInterpolated) {
  const auto learned = trained_on("height=2 width=2", "learned");
  EXPECT_TRUE(learned->undefined_at(grid("height=3 width=2")).has_value());
  EXPECT_FALSE(learned->undefined_at(grid("height=2 width=2")).has_value());
}

TEST(ClassToken, GetsNoAbsolutePosition) {
  for (const char* name : {"sinusoidal", "learned", "cpe"}) {
    const auto encoding = trained_on("height=2 width=2 class_token=true", name);
    const Tensor before = at::ones({1, 5, 16});
    const Tensor after = encoding->tokens(before, grid("height=2 width=2 class_token=true"));
    EXPECT_TRUE(at::equal(after.select(1, 0), before.select(1, 0))) << name;
    EXPECT_FALSE(at::allclose(after.slice(1, 1), before.slice(1, 1))) << name;
  }
}

// Seen elsewhere: two-dimensional rotation right on squares alone.
TEST(Rope, OnAGridOfTheRelation) {
  const auto relation = make_relation("grid height=2 width=3");
  const RelationMap map = relation->map(relation->structure(std::nullopt, std::nullopt));
  const EncodingContext context{
      .heads = 1, .head_width = 4, .width = 4, .relation = relation->traits(), .trained = map};
  const auto rope = make_encoding(parse_encoding("rope"), "grid", context, Initialiser(1));
  const auto rotation = *rope->terms(map).rotation;
  const Tensor cos = rotation.key_cos[0][0][5], sin = rotation.key_sin[0][0][5];
  EXPECT_CLOSE(at::stack({cos, sin}, 1).flatten(),
               rows({{0.5403023, 0.8414710, -0.4161468, 0.9092974}})[0], 1e-6);
}

// Seen elsewhere: class rows interpolated with the table.
TEST(Table, CopiesClassTokenRowsAndNonSquareGrids) {
  const auto table =
      trained_on("height=2 width=3 class_token=true", "table past_range=interpolate");
  const Tensor learned = table->named_parameters()["table"];  // [2, 15 + 3]
  const Tensor wide = table->terms(grid("height=2 width=5 class_token=true")).score;
  EXPECT_EQ(wide.size(1), 27 + 3);
  EXPECT_TRUE(at::equal(wide.slice(1, 27), learned.slice(1, 15)));
  EXPECT_CLOSE(wide.select(1, 0), learned.select(1, 0), 1e-6);
  EXPECT_CLOSE(wide.select(1, 13), learned.select(1, 7), 1e-6);
  EXPECT_CLOSE(wide.select(1, 26), learned.select(1, 14), 1e-6);
  const Tensor same = table->terms(grid("height=2 width=3 class_token=true")).score;
  EXPECT_TRUE(at::equal(same, learned));
}

}  // namespace
}  // namespace relbias::encodings
