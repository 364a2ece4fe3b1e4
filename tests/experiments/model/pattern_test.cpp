// SPDX-License-Identifier: Apache-2.0
// tests: attention patterns: shifted windows by definition, padding, class tokens.
#include "experiments/model/pattern.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "encodings/attention/attention.h"
#include "tests/error_of.h"

namespace relbias::experiments {
namespace {

using testing::HasSubstr;

Structure grid(int64_t height, int64_t width) {
  return {.queries = height * width, .keys = height * width, .sides = {height, width}};
}

// Pairs that may attend, [N, N] bool.
at::Tensor pairs(const std::string& pattern, const Structure& sample, int64_t layer) {
  AttentionOptions options;
  options.groups = Pattern(pattern).groups(sample, layer);
  return allowed_pairs(sample.keys, sample.keys, options, at::kCPU)[0][0];
}

bool attends(const at::Tensor& mask, int64_t query, int64_t key) {
  return mask[query][key].item<bool>();
}

// By definition: pad, roll, cut into windows; then two cells of a window attend to each other where
// the roll has left them as far apart as they were.
bool by_definition(const Structure& sample, int64_t size, int64_t shift, int64_t i, int64_t j) {
  for (const size_t axis : {0, 1}) {
    const int64_t side = sample.sides[axis], padded = (side + size - 1) / size * size;
    const auto place = [&](int64_t token) {
      return axis == 0 ? token / sample.sides[1] : token % sample.sides[1];
    };
    const auto rolled = [&](int64_t token) { return (place(token) - shift + padded) % padded; };
    if (rolled(i) / size != rolled(j) / size) return false;
    if (rolled(i) - rolled(j) != place(i) - place(j)) return false;
  }
  return true;
}

void expect_definition(const Structure& sample, int64_t size) {
  const std::string pattern = "window size=" + std::to_string(size);
  for (const int64_t layer : {0, 1, 2, 3}) {
    const at::Tensor mask = pairs(pattern, sample, layer);
    for (int64_t i = 0; i < sample.keys; ++i) {
      for (int64_t j = 0; j < sample.keys; ++j) {
        EXPECT_EQ(attends(mask, i, j),
                  by_definition(sample, size, layer % 2 == 1 ? size / 2 : 0, i, j))
            << sample.sides[0] << "x" << sample.sides[1] << " size " << size << " layer " << layer
            << ": " << i << ", " << j;
      }
    }
  }
}

TEST(Pattern, ShiftedWindowsAreTheirDefinition) {
  expect_definition(grid(8, 8), 4);
  expect_definition(grid(5, 5), 4);
  expect_definition(grid(5, 5), 3);
  expect_definition(grid(7, 5), 3);
  expect_definition(grid(6, 9), 2);
}

// Seen elsewhere: padding after the shift.
TEST(Pattern, ThePaddingComesBeforeTheShift) {
  for (const char* text : {"window size=4", "window size=3"}) {
    const at::Tensor mask = pairs(text, grid(5, 5), 1);
    EXPECT_FALSE(attends(mask, 0, 4)) << text << ": the ends of a row";
    EXPECT_FALSE(attends(mask, 0, 20)) << text << ": the ends of a column";
    EXPECT_FALSE(attends(mask, 0, 24)) << text << ": opposite corners";
    EXPECT_TRUE(attends(mask, 12, 13)) << text;
    EXPECT_TRUE(mask.diagonal().all().item<bool>()) << text << ": no token is left alone";
    EXPECT_TRUE(at::equal(mask, mask.t())) << text;
  }
}

TEST(Pattern, FiveCellsInARow) {
  const std::string pattern = "window size=2";
  const auto windows = [&](int64_t layer) {
    std::vector<int64_t> first;  // the first cell that each attends to
    const at::Tensor start = pairs(pattern, grid(1, 5), layer).to(at::kLong).argmax(1);
    for (int64_t i = 0; i < 5; ++i) first.push_back(start[i].item<int64_t>());
    return first;
  };
  EXPECT_EQ(windows(0), (std::vector<int64_t>{0, 0, 2, 2, 4}));
  EXPECT_EQ(windows(1), (std::vector<int64_t>{0, 1, 1, 3, 3}));
  EXPECT_EQ(windows(2), windows(0));
}

TEST(Pattern, ASideWithinTheWindowIsNotShifted) {
  for (const int64_t layer : {0, 1}) {
    EXPECT_TRUE(pairs("window size=4", grid(4, 3), layer).all().item<bool>());
    EXPECT_TRUE(pairs("window size=9", grid(5, 5), layer).all().item<bool>());
  }
  EXPECT_FALSE(pairs("window size=4", grid(4, 8), 1).all().item<bool>());
}

TEST(Pattern, WithoutShiftAllLayersAreAlike) {
  const std::string pattern = "window size=3 shift=false";
  EXPECT_TRUE(at::equal(pairs(pattern, grid(6, 6), 0), pairs(pattern, grid(6, 6), 1)));
  EXPECT_EQ(pairs(pattern, grid(6, 6), 1).sum().item<int64_t>(), 4 * 9 * 9);
}

TEST(Pattern, AClassTokenAttendsEverywhere) {
  Structure sample = grid(4, 4);
  sample.class_token = true;
  ++sample.keys;
  ++sample.queries;
  const at::Tensor mask = pairs("window size=2", sample, 1);
  EXPECT_TRUE(mask[0].all().item<bool>());
  EXPECT_TRUE(mask.select(1, 0).all().item<bool>());
  EXPECT_TRUE(at::equal(mask.slice(0, 1).slice(1, 1), pairs("window size=2", grid(4, 4), 1)));
}

TEST(Pattern, FullIsNoMask) {
  EXPECT_FALSE(Pattern("full").groups(grid(2, 2), 0).defined());
  EXPECT_FALSE(Pattern("full").groups({.queries = 3, .keys = 3}, 0).defined());
}

TEST(Pattern, WhatIsNoneIsAnError) {
  EXPECT_THAT(error_of([] { Pattern("windows"); }), HasSubstr("did you mean 'window'"));
  EXPECT_THAT(error_of([] { Pattern("window size=0"); }), HasSubstr("1 to 32768"));
  EXPECT_THAT(error_of([] { Pattern("full size=2"); }), HasSubstr("size"));
  EXPECT_THAT(error_of([] { Pattern("window").groups({.queries = 3, .keys = 3}, 0); }),
              HasSubstr("tokens with 0 sides found, a grid of two expected"));
  EXPECT_EQ(canonical_pattern("window size=2"), "window size=2 shift=true");
  EXPECT_EQ(canonical_pattern("full"), "full");
}

}  // namespace
}  // namespace relbias::experiments
