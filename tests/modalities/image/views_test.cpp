// SPDX-License-Identifier: Apache-2.0
// tests: pictures as tasks show them: order, sizes, canvas, augmentation, patches.
#include "modalities/image/views.h"

#include <gmock/gmock.h>

#include <set>

#include "tests/error_of.h"
#include "tests/modalities/image/pictures.h"

namespace relbias::modalities {
namespace {

using testing::HasSubstr;

// The numbers that the pictures of a training batch are filled with.
std::vector<int64_t> numbers(const at::Tensor& pixels) {
  const at::Tensor number = (pixels.select(1, 0).select(1, 2).select(1, 2) * 255).round();
  std::vector<int64_t> all;
  for (int64_t b = 0; b < number.size(0); ++b) all.push_back(number[b].item<int64_t>());
  return all;
}

at::Tensor evaluated(const Views& views, int64_t size, int64_t samples, int64_t batch,
                     Split split = Split::test) {
  std::vector<at::Tensor> all;
  views.evaluation({.size = size, .samples = samples, .tokens = 0, .batch = batch, .split = split},
                   [&](const Views::Shown& shown) { all.push_back(shown.pixels); });
  return at::cat(all);
}

TEST(Views, EveryRoundShowsEveryPictureOnceInAnotherOrder) {
  const ImageDataset images = numbered_pictures(10);
  const Views views(images, {});
  std::vector<int64_t> seen;
  for (uint64_t step = 0; step < 5; ++step) {  // 5 batches of 4: two rounds of 10
    const auto shown = views.training({.size = 4, .batch = 4, .seed = 1, .step = step});
    for (const int64_t n : numbers(shown.pixels)) seen.push_back(n);
    EXPECT_EQ(shown.labels[0].item<int64_t>(), seen[step * 4] % 2);
  }
  const std::vector<int64_t> first(seen.begin(), seen.begin() + 10),
      second(seen.begin() + 10, seen.end());
  EXPECT_EQ(std::set<int64_t>(first.begin(), first.end()).size(), 10U);
  EXPECT_EQ(std::set<int64_t>(second.begin(), second.end()).size(), 10U);
  EXPECT_NE(first, second);
  const auto large = views.training({.size = 4, .batch = 25, .seed = 1, .step = 0});
  EXPECT_EQ(large.pixels.size(0), 25);
}

TEST(Views, EvaluationTakesTheSameFirstPicturesForEveryNumber) {
  const ImageDataset images = numbered_pictures(20);
  const Views views(images, {});
  const at::Tensor all = evaluated(views, 4, 1000, 7);
  EXPECT_EQ(all.size(0), 20);
  EXPECT_TRUE(at::equal(evaluated(views, 4, 5, 3), all.narrow(0, 0, 5)));
  for (const int64_t n : numbers(all)) EXPECT_GE(n, 40);
  for (const int64_t n : numbers(evaluated(views, 4, 1000, 7, Split::validation))) {
    EXPECT_GE(n, 20);
    EXPECT_LT(n, 40);
  }
}

TEST(Views, ACanvasHoldsThePictureUnchangedSomewhere) {
  const ImageDataset images = numbered_pictures(20);
  const Views views(images, {.view = "canvas"});
  const at::Tensor shown = evaluated(views, 12, 20, 7);
  ASSERT_EQ(shown.sizes(), at::IntArrayRef({20, 1, 12, 12}));
  std::set<int64_t> corners;
  for (int64_t b = 0; b < 20; ++b) {
    const at::Tensor lit = shown[b][0].nonzero();
    ASSERT_EQ(lit.size(0), 16) << "4x4 pixels of one picture";
    corners.insert(lit[0][0].item<int64_t>() * 12 + lit[0][1].item<int64_t>());
    EXPECT_EQ(std::get<0>(at::_unique(shown[b])).size(0), 2);
  }
  EXPECT_GT(corners.size(), 10U);
  EXPECT_TRUE(at::equal(shown, evaluated(views, 12, 20, 3))) << "whatever the batch";
}

TEST(Views, ScalingKeepsWhatIsEvenAndAveragesWhatShrinks) {
  const at::Tensor ramp = at::arange(4, at::kFloat).expand({1, 1, 4, 4});
  EXPECT_TRUE(at::equal(scaled(ramp, 4), ramp));
  // Half pixels apart, centres aligned: 0.25 between two, the outer ones repeated.
  EXPECT_TRUE(at::allclose(scaled(ramp, 8)[0][0][0],
                           at::tensor({0.f, 0.25f, 0.75f, 1.25f, 1.75f, 2.25f, 2.75f, 3.f})));
  const at::Tensor stripes = at::arange(16, at::kFloat).remainder(2).expand({1, 1, 16, 16});
  EXPECT_NEAR(scaled(stripes, 4)[0][0][1][1].item<double>(), 0.5, 0.07) << "no moiré";
}

at::Tensor trained(const ImageDataset& images, const ViewOptions& options, uint64_t step) {
  return Views(images, options).training({.size = 8, .batch = 1, .seed = 0, .step = step}).pixels;
}

// One picture with a bright pixel in each of two places.
ImageDataset two_lights() {
  ImageSource source{.origin = "lights", .content_hash = "0", .classes = {"a", "b"}};
  at::Tensor pixels = at::zeros({2, 1, 8, 8}, at::kByte);
  pixels.select(2, 3).select(2, 4).fill_(255);
  pixels.select(2, 5).select(2, 2).fill_(255);
  source.splits.fill({pixels, at::arange(2)});
  return ImageDataset(std::move(source));
}

TEST(Augmentation, ShiftsByWholePixelsBothWays) {
  const ImageDataset images = two_lights();
  const at::Tensor still = trained(images, {}, 0)[0][0];
  std::set<std::pair<int64_t, int64_t>> moves;
  for (uint64_t step = 0; step < 200; ++step) {
    const at::Tensor moved = trained(images, {.shift = 2}, step)[0][0];
    bool found = false;
    for (int64_t down = -2; down <= 2 && !found; ++down) {
      for (int64_t right = -2; right <= 2 && !found; ++right) {
        found = at::allclose(moved, still.roll({down, right}, {0, 1}), 1e-4, 1e-4);
        if (found) moves.insert({down, right});
      }
    }
    ASSERT_TRUE(found) << moved;
  }
  EXPECT_EQ(moves.size(), 25U);
}

TEST(Augmentation, FlipsEverySecondPicture) {
  const ImageDataset images = two_lights();
  const at::Tensor still = trained(images, {}, 0)[0][0];
  int flipped = 0;
  for (uint64_t step = 0; step < 200; ++step) {
    const at::Tensor shown = trained(images, {.flip = true}, step)[0][0];
    const bool is_flipped = at::allclose(shown, still.flip({1}), 1e-4, 1e-4);
    ASSERT_TRUE(is_flipped || at::allclose(shown, still, 1e-4, 1e-4)) << shown;
    flipped += is_flipped;
  }
  EXPECT_NEAR(flipped, 100, 40);  // 5.7 standard deviations
}

TEST(Augmentation, CropsStayInsideThePicture) {
  ImageSource source{.origin = "white", .content_hash = "0", .classes = {"a", "b"}};
  source.splits.fill({at::full({2, 1, 8, 8}, 255, at::kByte), at::arange(2)});
  const ImageDataset images(std::move(source));
  for (uint64_t step = 0; step < 50; ++step) {
    const at::Tensor shown = trained(images, {.crop = 0.5}, step);
    // Only the outermost half pixel may mix with what lies outside.
    EXPECT_NEAR(shown.slice(2, 1, 7).slice(3, 1, 7).min().item<double>(), 1, 1e-4);
  }
  const ImageDataset lights = two_lights();
  EXPECT_FALSE(at::equal(trained(lights, {.crop = 0.5}, 0), trained(lights, {}, 0)));
}

TEST(Augmentation, DependsOnSeedAndStepAlone) {
  const ImageDataset images = two_lights();
  const ViewOptions all{.shift = 2, .flip = true, .crop = 0.7};
  EXPECT_TRUE(at::equal(trained(images, all, 3), trained(images, all, 3)));
  EXPECT_FALSE(at::equal(trained(images, all, 3), trained(images, all, 4)));
  const at::Tensor plain = evaluated(Views(images, {}), 8, 2, 2);
  EXPECT_TRUE(at::equal(evaluated(Views(images, all), 8, 2, 2), plain)) << "training only";
}

TEST(Patches, AreInRasterOrderChannelRowColumn) {
  const at::Tensor picture = at::arange(8, at::kFloat).view({1, 1, 2, 4});
  EXPECT_TRUE(at::equal(patches(picture, 2)[0],
                        at::tensor({0.f, 1.f, 4.f, 5.f, 2.f, 3.f, 6.f, 7.f}).view({2, 4})));
  const at::Tensor colours = at::arange(12, at::kFloat).view({1, 3, 2, 2});
  EXPECT_TRUE(at::equal(patches(colours, 2)[0][0], at::arange(12, at::kFloat)));
  EXPECT_TRUE(at::equal(patches(colours, 1)[0][1], at::tensor({1.f, 5.f, 9.f})));
}

TEST(Views, SizesThatCannotBeShownAreErrors) {
  const ImageDataset images = numbered_pictures(4);
  const auto refusal = [&](const ViewOptions& options, int64_t size) {
    return error_of([&] { Views(images, options).check(size, "task"); });
  };
  EXPECT_THAT(refusal({.patch = 4}, 30),
              HasSubstr("30 pixels a side found, a multiple of patch=4"));
  EXPECT_THAT(refusal({.patch = 4}, 3), HasSubstr("3 pixels a side found"));
  EXPECT_THAT(refusal({}, 0), HasSubstr("0 pixels a side found"));
  EXPECT_THAT(refusal({.view = "canvas"}, 3), HasSubstr("at least the pictures' 4 expected"));
  EXPECT_EQ(refusal({.view = "canvas"}, 4), "no error");
  EXPECT_EQ(refusal({.patch = 4}, 28), "no error");
}

}  // namespace
}  // namespace relbias::modalities
