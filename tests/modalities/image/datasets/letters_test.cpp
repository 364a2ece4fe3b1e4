// SPDX-License-Identifier: Apache-2.0
// tests: dataset `letters`, and how fonts are drawn.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "modalities/image/glyphs.h"
#include "modalities/image/image.h"
#include "modalities/plain/files.h"
#include "tests/error_of.h"
#include "tests/scratch_folder.h"

namespace relbias::modalities {
namespace {

using testing::HasSubstr;

std::unique_ptr<Dataset> make(const std::string& options = "") {
  const auto& entry = find_entry("dataset", "letters", dataset_entries());
  return entry.make(parse_options("dataset", "letters " + options, entry.options));
}

Capitals dejavu(int64_t side) {
  const std::string name = "dejavu-core/DejaVuSans.ttf";
  return capitals_of_font(name, read_file(data_folder() / "fonts-1" / name), side);
}

TEST(Capitals, FillThreeQuartersOfThePictureInItsMiddle) {
  const Capitals capitals = dejavu(64);
  EXPECT_EQ(capitals.family, "DejaVu Sans");
  EXPECT_EQ(capitals.pixels.sizes(), (at::IntArrayRef{26, 1, 64, 64}));
  for (int64_t letter = 0; letter < 26; ++letter) {
    const at::Tensor ink = (capitals.pixels[letter][0] > 127).nonzero();
    const at::Tensor low = std::get<0>(ink.min(0)), high = std::get<0>(ink.max(0));
    const at::Tensor extent = high - low + 1;
    EXPECT_NEAR(extent.max().item<double>(), 48, 2) << letter;
    EXPECT_NEAR((low + high)[0].item<double>(), 63, 3) << letter;
    EXPECT_NEAR((low + high)[1].item<double>(), 63, 3) << letter;
  }
  // The foot of an L lies below, its stem on the left.
  const at::Tensor ink = capitals.pixels['L' - 'A'][0].to(at::kDouble);
  EXPECT_GT(ink.narrow(0, 32, 32).sum().item<double>(), ink.narrow(0, 0, 32).sum().item<double>());
  EXPECT_GT(ink.narrow(1, 0, 32).sum().item<double>(), ink.narrow(1, 32, 32).sum().item<double>());
}

TEST(Letters, FamiliesStayTogether) {
  const auto dataset = make("side=16");
  EXPECT_THAT(dataset->report(), HasSubstr("letters: "));
  EXPECT_THAT(dataset->report(), HasSubstr("fonts, as in Debian 12, divided by their"));
  const auto& images = dynamic_cast<const ImageDataset&>(*dataset);
  EXPECT_EQ(images.classes().size(), 26u);
  EXPECT_GT(images.count(Split::train), 1500) << dataset->report();
  EXPECT_GT(images.count(Split::validation), 100) << dataset->report();
  EXPECT_GT(images.count(Split::test), 300) << dataset->report();
  for (const Split split : all_splits) EXPECT_EQ(images.count(split) % 26, 0);
}

TEST(Letters, WhatIsNoFontIsNamed) {
  const ScratchFolder folder;
  folder.write("a.ttf", "no font");
  EXPECT_THAT(error_of([&] { make("path=" + folder.path().string()); }),
              HasSubstr("a.ttf: no font with outlines"));
  const ScratchFolder empty;
  EXPECT_THAT(error_of([&] { make("path=" + empty.path().string()); }), HasSubstr("holds no font"));
}

}  // namespace
}  // namespace relbias::modalities
