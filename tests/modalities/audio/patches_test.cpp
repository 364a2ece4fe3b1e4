// SPDX-License-Identifier: Apache-2.0
// tests: frames cut into tokens.
#include "modalities/audio/patches.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "tests/error_of.h"

namespace relbias::modalities {
namespace {

using ::testing::HasSubstr;

// Frame t, band m holds 10 t + m.
Tensor clip(int64_t frames, int64_t mels) {
  return (10 * at::arange(frames).unsqueeze(1) + at::arange(mels).unsqueeze(0)).to(at::kFloat);
}

std::vector<std::vector<int>> rows_of(const Tensor& tokens) {
  std::vector<std::vector<int>> rows;
  for (int64_t n = 0; n < tokens.size(0); ++n) {
    const Tensor row = tokens[n].to(at::kInt).contiguous();
    rows.emplace_back(row.data_ptr<int>(), row.data_ptr<int>() + row.numel());
  }
  return rows;
}

using Rows = std::vector<std::vector<int>>;

TEST(Patches, FramesInStretches) {
  const Patches pairs{.frames = 2};
  EXPECT_EQ(rows_of(pairs.cut(clip(5, 2))), (Rows{{0, 1, 10, 11}, {20, 21, 30, 31}}));
  EXPECT_EQ(pairs.times(5), 2);
  EXPECT_EQ(pairs.features(2), 4);
  EXPECT_EQ(Patches{}.times(23), 5);
  EXPECT_EQ(Patches{}.times(3), 0);
  EXPECT_EQ(Patches{}.cut(clip(3, 2)).sizes(), at::IntArrayRef({0, 8}));
}

TEST(Patches, OfBandsStandMomentByMoment) {
  const Patches patches{.frames = 2, .bands = 2};
  EXPECT_EQ(rows_of(patches.cut(clip(4, 4))),
            (Rows{{0, 1, 10, 11}, {2, 3, 12, 13}, {20, 21, 30, 31}, {22, 23, 32, 33}}));
  EXPECT_EQ(patches.rows(4), 2);
  EXPECT_EQ(patches.rows(5), 2);
}

TEST(Patches, ThatOverlap) {
  const Patches patches{.frames = 2, .bands = 2, .overlap = 1};
  EXPECT_EQ(patches.times(3), 2);
  EXPECT_EQ(patches.rows(3), 2);
  EXPECT_EQ(rows_of(patches.cut(clip(3, 3))),
            (Rows{{0, 1, 10, 11}, {1, 2, 11, 12}, {10, 11, 20, 21}, {11, 12, 21, 22}}));
  const Patches stretches{.frames = 2, .overlap = 1};
  EXPECT_EQ(rows_of(stretches.cut(clip(3, 1))), (Rows{{0, 10}, {10, 20}}));
}

TEST(Patches, EveryNthFrame) {
  const Patches patches{.frames = 2, .every = 2};
  EXPECT_EQ(rows_of(patches.cut(clip(6, 1))), (Rows{{0, 20}}));
  EXPECT_EQ(rows_of(patches.cut(clip(7, 1))), (Rows{{0, 20}, {40, 60}}));
  EXPECT_EQ(patches.times(7), 2);
  EXPECT_EQ(patches.shortest(), 3);
  EXPECT_EQ(patches.times(3), 1);
  EXPECT_EQ(patches.times(2), 0);
}

TEST(Patches, CountWhatTheyCut) {
  for (const Patches& patches : {Patches{.frames = 3, .bands = 4, .overlap = 2, .every = 2},
                                 Patches{.frames = 1}, Patches{.frames = 5, .overlap = 1}}) {
    for (int64_t frames = patches.shortest(); frames < 30; ++frames) {
      const Tensor tokens = patches.cut(clip(frames, 9));
      EXPECT_EQ(tokens.size(0), patches.times(frames) * patches.rows(9)) << frames;
      EXPECT_EQ(tokens.size(1), patches.features(9));
    }
  }
}

TEST(Patches, HopOfATokenInSeconds) {
  EXPECT_DOUBLE_EQ(Patches{}.structure(7, 40, 0.01).hop_seconds, 0.04);
  const Structure grid =
      Patches{.frames = 16, .bands = 16, .overlap = 6, .every = 2}.structure(24, 40, 0.01);
  EXPECT_DOUBLE_EQ(grid.hop_seconds, 0.2);
  EXPECT_EQ(grid.sides, (std::vector<int64_t>{8, 3}));
  EXPECT_EQ(grid.keys, 24);
}

TEST(Patches, ContradictionsAreErrors) {
  const auto message = [](const std::string& text) {
    return error_of([&] {
      Patches::from(parse_options("task", "x " + text, Patches::specs({})), /*mels=*/40);
    });
  };
  EXPECT_THAT(message("bands=41"), HasSubstr("bands=41 found, at most the dataset's 40"));
  EXPECT_THAT(message("overlap=4"), HasSubstr("overlap=4 found, less than the 4 of a token"));
  EXPECT_THAT(message("frames=16 bands=8 overlap=8"), HasSubstr("less than the 8 of a token"));
  EXPECT_EQ(message("frames=16 bands=16 overlap=6"), "no error");
}

}  // namespace
}  // namespace relbias::modalities
