// SPDX-License-Identifier: Apache-2.0
// tests/golden/image: the ids of `grid` against those that timm looks its tables up by.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include "tests/golden/golden_test.h"
#include "tests/golden/relations.h"

namespace relbias::golden {
namespace {

class GridIds : public GoldenTest {
 protected:
  RelationMap ours(const char* more) const {
    const auto window = golden.integers("window");
    const auto relation =
        make_relation(fmt::format("grid height={} width={}{}", window.at(0), window.at(1), more));
    return relation->map(relation->structure(std::nullopt, std::nullopt));
  }
};

void expect_same(const RelationMap& found, const RelationMap& expected) {
  EXPECT_TRUE(at::equal(found.index, expected.index));
  EXPECT_TRUE(at::equal(found.offsets, expected.offsets));
  EXPECT_TRUE(at::equal(found.distance, expected.distance));
  EXPECT_TRUE(at::equal(found.key_coordinates, expected.key_coordinates));
  EXPECT_EQ(found.rows, expected.rows);
  EXPECT_EQ(found.sides, expected.sides);
}

TEST_P(GridIds, EqualThePackages) {
  const RelationMap plain = ours(""), with_class = ours(" class_token=true");
  EXPECT_TRUE(at::equal(plain.pair_rows()[0], golden.read("out/index")));
  EXPECT_TRUE(at::equal(with_class.pair_rows()[0], golden.read("out/index_cls")));
  // What the other golden tests call a grid is the relation `grid`.
  const auto window = golden.integers("window");
  const RelationMap theirs = grid(window.at(0), window.at(1));
  expect_same(plain, theirs);
  expect_same(with_class, with_class_token(theirs));
  EXPECT_TRUE(at::equal(with_class.special, with_class_token(theirs).special));
  EXPECT_TRUE(at::equal(with_class.unplaced, with_class_token(theirs).unplaced));
}
RELBIAS_GOLDEN_TESTS(GridIds, cases("image_timm", "relative_position_index/"));

}  // namespace
}  // namespace relbias::golden
