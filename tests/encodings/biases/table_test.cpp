// SPDX-License-Identifier: Apache-2.0
// tests: `table` past its trained size: clamped, resampled along a line and over a grid.
#include "tests/encodings/relation_cases.h"
#include "tests/encodings/worked.h"

namespace relbias::encodings {
namespace {

// b of 3 tokens, offsets -2..2, from the table 10 20 30 trained on 2 tokens.
Tensor of_three_tokens(const std::string& options) {
  Worked worked = work("table " + options, 3, 3, {.trained = 2});
  const at::NoGradGuard no_gradients;
  worked.encoding->named_parameters()["table"].copy_(at::tensor({10.f, 20.f, 30.f}));
  return worked.encoding->terms(worked.position.relation).score[0];
}

// Seen elsewhere: class rows interpolated with the table.
TEST(Table, PastItsTrainedSize) {
  EXPECT_CLOSE(of_three_tokens("past_range=clamp"), rows({{10, 10, 20, 30, 30}})[0], 0);
  EXPECT_CLOSE(of_three_tokens("past_range=interpolate kernel=linear"),
               rows({{10, 15, 20, 25, 30}})[0], 1e-5);
  EXPECT_CLOSE(of_three_tokens("past_range=interpolate"), rows({{10, 14.0625, 20, 25.9375, 30}})[0],
               1e-5);
  EXPECT_NE(message_of([] { of_three_tokens("past_range=undefined"); }).find("3 found, 2 trained"),
            std::string::npos);
}

TEST(Table, AtItsTrainedSizeIsTheTableItself) {
  const Worked worked = work("table past_range=interpolate", 4, 4);
  EXPECT_TRUE(at::equal(worked.position.terms.score, worked.encoding->named_parameters()["table"]));
}

TEST(Table, OnGridsEndsAndCentreStayWhereTheyAre) {
  const RelationCase grid = relation_case("small-grid");  // trained on 2 x 3
  const auto encoding = make_encoding(parse_encoding("table past_range=interpolate"), grid.name,
                                      context_for(grid, false), 1);
  const Tensor table = encoding->named_parameters()["table"];   // [2, 3 * 5]
  const Tensor wide = encoding->terms(grid.map(10, 10)).score;  // 2 x 5: offsets 3 x 9
  EXPECT_EQ(wide.size(1), 27);
  EXPECT_CLOSE(wide.select(1, 0), table.select(1, 0), 1e-6);
  EXPECT_CLOSE(wide.select(1, 13), table.select(1, 7), 1e-6);
  EXPECT_CLOSE(wide.select(1, 26), table.select(1, 14), 1e-6);
}

}  // namespace
}  // namespace relbias::encodings
