// SPDX-License-Identifier: Apache-2.0
// tests: task `grid-lag-copy`: targets, scored cells and the ceiling of a distance.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "modalities/modality.h"
#include "tests/error_of.h"

namespace relbias::modalities {
namespace {

using testing::HasSubstr;

std::unique_ptr<Task> make(const std::string& options = "") {
  const auto& entry = find_entry("task", "grid-lag-copy", task_entries());
  return entry.make(parse_options("task", "grid-lag-copy " + options, entry.options), nullptr);
}

void expect_lag(const Batch& batch, int64_t side, int64_t down, int64_t right) {
  const auto grid = [&](const at::Tensor& cells) { return cells.view({-1, side, side}); };
  const at::Tensor inputs = grid(batch.inputs), targets = grid(batch.answers[0].targets),
                   scored = grid(batch.answers[0].scored);
  for (int64_t row = 0; row < side; ++row) {
    for (int64_t column = 0; column < side; ++column) {
      const bool inside = row >= down && column >= right;
      const at::Tensor counts = scored.select(1, row).select(1, column);
      ASSERT_EQ(counts.all().item<bool>(), inside);
      ASSERT_EQ(counts.any().item<bool>(), inside);
      if (!inside) continue;
      EXPECT_TRUE(at::equal(targets.select(1, row).select(1, column),
                            inputs.select(1, row - down).select(1, column - right)));
    }
  }
}

TEST(GridLagCopy, TargetIsOneUpAndTwoLeft) {
  for (const int64_t side : {3, 8, 16}) {
    const Batch batch = make()->training({.size = side, .batch = 4, .seed = 0, .step = 0});
    ASSERT_EQ(batch.inputs.sizes(), at::IntArrayRef({4, side * side}));
    expect_lag(batch, side, 1, 2);
    EXPECT_EQ(batch.structures.front().sides, (std::vector<int64_t>{side, side}));
    EXPECT_EQ(make()->tokens(side), side * side);
  }
  const Batch eight = make()->training({.size = 8, .batch = 1, .seed = 0, .step = 0});
  EXPECT_EQ(eight.answers[0].scored.sum().item<int64_t>(), 42);
}

TEST(GridLagCopy, OffsetAndSymbolsAreOptions) {
  const auto task = make("down=0 right=3 symbols=5");
  const Batch batch = task->training({.size = 6, .batch = 8, .seed = 0, .step = 0});
  expect_lag(batch, 6, 0, 3);
  EXPECT_EQ(batch.inputs.max().item<int64_t>(), 4);
  EXPECT_EQ(task->traits().vocabulary, 5);
  EXPECT_EQ(task->traits().questions.at(0).outputs, 5);
  EXPECT_EQ(make()->traits().chance, 0.125);
}

// The relation's offset of every copied cell is (-1, -2), and the Euclidean distance cannot tell it
// from up to seven others.
TEST(GridLagCopy, TheRelationSeesItAndADistanceDoesNot) {
  const auto relation = make_relation("grid height=8 width=8");
  const RelationMap map = relation->map(relation->structure(std::nullopt, std::nullopt));
  const at::Tensor offsets = map.offsets.index({map.pair_rows()[0]});  // [64, 64, 2]
  EXPECT_EQ(offsets[10][0][0].item<int>(), -1);
  EXPECT_EQ(offsets[10][0][1].item<int>(), -2);
  const at::Tensor same_distance =
      (map.distance.take(map.pair_rows()[0]).square() - 5).abs() < 1e-3;
  const at::Tensor scored =
      make()->training({.size = 8, .batch = 1, .seed = 0, .step = 0}).answers[0].scored[0];
  const at::Tensor cells = same_distance.sum(1).masked_select(scored);
  EXPECT_EQ(cells.max().item<int64_t>(), 8);
  EXPECT_EQ(cells.min().item<int64_t>(), 2);
}

TEST(GridLagCopy, SizesWithoutAScoredCellAreErrors) {
  for (const int64_t side : {-1, 0, 2}) {
    EXPECT_THAT(error_of([&] { make()->check({side}, {}); }),
                HasSubstr("more than the offset's 2"));
  }
  make()->check({3}, {});
  EXPECT_THAT(error_of([] { make()->check({2000}, {}); }), HasSubstr("at most 1024 expected"));
  EXPECT_THAT(error_of([] { make("down=-1"); }), HasSubstr("0 to 512"));
}

}  // namespace
}  // namespace relbias::modalities
