// SPDX-License-Identifier: Apache-2.0
// tests: named model sizes, and settings that go before them.
#include "experiments/model/preset.h"

#include <gmock/gmock.h>

#include "experiments/config/config.h"
#include "tests/error_of.h"

namespace relbias::experiments {
namespace {

RunConfig config_of(const std::string& model) {
  const auto table = parse_toml("data.task = \"lag-copy\"\ntrain.size = 8\n[model]\n" + model, "x");
  Settings settings;
  flatten(*table, "", settings);
  return read_config(settings);
}

std::vector<int64_t> size_of(const std::string& model) {
  const RunConfig config = config_of(model);
  return {config.model.layers, config.model.width, config.model.heads};
}

TEST(Preset, SizesAreThoseOfDeiT) {
  EXPECT_EQ(size_of("preset = \"tiny\""), (std::vector<int64_t>{12, 192, 3}));
  EXPECT_EQ(size_of("preset = \"small\""), (std::vector<int64_t>{12, 384, 6}));
  EXPECT_EQ(size_of("preset = \"base\""), (std::vector<int64_t>{12, 768, 12}));
  EXPECT_EQ(size_of("preset = \"mini\""), (std::vector<int64_t>{3, 64, 4}));
}

TEST(Preset, WhatIsSetGoesBefore) {
  EXPECT_EQ(size_of("preset = \"tiny\"\nlayers = 2"), (std::vector<int64_t>{2, 192, 3}));
  EXPECT_EQ(size_of("width = 96\npreset = \"tiny\"\nheads = 4"), (std::vector<int64_t>{12, 96, 4}));
}

// The name is no part of a run: what it stands for is.
TEST(Preset, SpelledOutIsTheSameRun) {
  EXPECT_EQ(config_text(config_of("preset = \"mini\"")),
            config_text(config_of("layers = 3\nwidth = 64\nheads = 4")));
}

TEST(Preset, UnknownNamesAreErrors) {
  EXPECT_THAT(error_of([] { size_of("preset = \"tinny\""); }),
              testing::HasSubstr("model.preset: unknown preset 'tinny': did you mean 'tiny'"));
}

}  // namespace
}  // namespace relbias::experiments
