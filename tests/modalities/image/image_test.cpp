// SPDX-License-Identifier: Apache-2.0
// tests: image datasets as a whole: division by class, statistics, what is refused.
#include "modalities/image/image.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include "tests/error_of.h"
#include "tests/modalities/image/pictures.h"

namespace relbias::modalities {
namespace {

using testing::HasSubstr;

// `counts[c]` pictures of class c, each a single pixel with a number of its own.
Pictures pixels_of(const std::vector<int64_t>& counts) {
  std::vector<at::Tensor> labels;
  for (size_t label = 0; label < counts.size(); ++label) {
    labels.push_back(at::full({counts[label]}, static_cast<int64_t>(label), at::kLong));
  }
  const at::Tensor all = at::cat(labels);
  return {at::arange(all.size(0)).to(at::kByte).view({-1, 1, 1, 1}), all};
}

std::vector<int64_t> class_counts(const Pictures& pictures, int64_t classes) {
  const at::Tensor counts = at::bincount(pictures.labels, {}, classes);
  return {counts.data_ptr<int64_t>(), counts.data_ptr<int64_t>() + classes};
}

TEST(DividedByClass, SharesHoldInEveryClass) {
  const auto splits = divided_by_class(pixels_of({100, 150}), {.validation = 0.1, .test = 0.2});
  for (int64_t label : {0, 1}) {
    const double count = label == 0 ? 100 : 150;
    EXPECT_NEAR(class_counts(splits[0], 2)[label] / count, 0.7, 0.12);
    EXPECT_NEAR(class_counts(splits[1], 2)[label] / count, 0.1, 0.08);
    EXPECT_NEAR(class_counts(splits[2], 2)[label] / count, 0.2, 0.1);
  }
}

TEST(DividedByClass, OneMorePictureMovesNoOther) {
  const Pictures all = pixels_of({60, 60});
  const auto without = divided_by_class(
      {all.pixels.narrow(0, 1, 119), all.labels.narrow(0, 1, 119)}, {.validation = 0.2});
  const auto with = divided_by_class(all, {.validation = 0.2});
  for (const Split split : all_splits) {
    const at::Tensor before = without[static_cast<size_t>(split)].pixels.flatten();
    const at::Tensor after = with[static_cast<size_t>(split)].pixels.flatten();
    EXPECT_TRUE(at::equal(after.masked_select(after != all.pixels.flatten()[0]), before));
  }
}

TEST(DividedByClass, PicturesOfOneSourceStayTogether) {
  const Pictures all = pixels_of({20, 20});
  std::vector<std::string> sources;
  for (int n = 0; n < 40; ++n) sources.push_back("font " + std::to_string(n % 10));
  std::map<std::string, std::set<size_t>> splits_of_source;
  const auto splits = divided_by_class(all, {.validation = 0.2, .test = 0.2}, sources);
  for (size_t split = 0; split < 3; ++split) {
    const at::Tensor numbers = splits[split].pixels.flatten().to(at::kLong);
    for (int64_t n = 0; n < numbers.numel(); ++n) {
      splits_of_source[sources[static_cast<size_t>(numbers[n].item<int64_t>())]].insert(split);
    }
  }
  for (const auto& [source, found] : splits_of_source) EXPECT_EQ(found.size(), 1u) << source;
}

TEST(DividedByClass, EveryPictureGoesToOneSplitWithItsLabel) {
  const Pictures all = pixels_of({30, 7, 2});
  const auto splits = divided_by_class(all, {.validation = 0.3, .test = 0.3});
  std::vector<at::Tensor> numbers;
  for (const Pictures& split : splits) {
    const at::Tensor number = split.pixels.flatten().to(at::kLong);
    EXPECT_TRUE(at::equal(all.labels.index_select(0, number), split.labels));
    numbers.push_back(number);
  }
  EXPECT_TRUE(at::equal(std::get<0>(at::cat(numbers).sort()), at::arange(39)));
}

TEST(DividedByClass, IsTheSameEveryTimeAndRandom) {
  const auto division = [] {
    return divided_by_class(pixels_of({200}), {.validation = 0, .test = 0.5})[2].pixels;
  };
  EXPECT_TRUE(at::equal(division(), division()));
  EXPECT_LT(division().max().item<int64_t>(), 200);
  EXPECT_GT(division().max().item<int64_t>(), 150) << "the last ones are drawn, too";
  EXPECT_LT(division().min().item<int64_t>(), 50);
}

TEST(DividedByClass, SmallClassesAreNotUsedUp) {
  const auto few = divided_by_class(pixels_of({1, 2, 3}), {.validation = 0.1, .test = 0.2});
  EXPECT_EQ(class_counts(few[0], 3), (std::vector<int64_t>{1, 1, 1}));
  EXPECT_EQ(class_counts(few[2], 3), (std::vector<int64_t>{0, 1, 1}));
  EXPECT_EQ(class_counts(few[1], 3), (std::vector<int64_t>{0, 0, 1}));
  const auto no_test = divided_by_class(pixels_of({4}), {.validation = 0.5, .test = 0});
  EXPECT_EQ(no_test[2].count(), 0);
  EXPECT_GE(no_test[1].count(), 1);
}

TEST(ImageDataset, KeepsBytesAndHandsOutNumbers) {
  const ImageDataset images = numbered_pictures(10);
  const at::Tensor pixels = images.pixels(Split::test, at::tensor({0, 9}, at::kLong));
  EXPECT_EQ(pixels.scalar_type(), at::kFloat);
  EXPECT_NEAR(pixels[0][0][0][0].item<double>(), 20.0 / 255, 1e-7);
  EXPECT_NEAR(pixels[1][0][3][3].item<double>(), 29.0 / 255, 1e-7);
  EXPECT_EQ(images.labels(Split::test, at::tensor({9}, at::kLong)).item<int64_t>(), 1);
  EXPECT_EQ(images.commonest(), 0);
  EXPECT_THAT(images.report(), HasSubstr("2 classes, 4x4 pixels, grey; train 10; validation 10"));
}

TEST(ImageDataset, MeanAndDeviationAreOfTheTrainingPictures) {
  const ImageDataset images = numbered_pictures(10);  // 0 to 9 in training
  EXPECT_NEAR(images.mean()[0].item<double>(), 4.5 / 255, 1e-6);
  EXPECT_NEAR(images.deviation()[0].item<double>(), 2.8722813 / 255, 1e-6);
  ImageSource alike{.origin = "here", .content_hash = "0", .classes = {"a", "b"}};
  alike.splits.fill({at::full({2, 1, 4, 4}, 7, at::kByte), at::arange(2)});
  EXPECT_EQ(ImageDataset(std::move(alike)).deviation()[0].item<double>(), 1);
}

TEST(ImageDataset, WhatCannotBeLearntFromIsRefused) {
  const auto refusal = [](int64_t label) {
    ImageSource source{.origin = "here", .content_hash = "0", .classes = {"a", "b"}};
    source.splits.fill(pixels_of({2, 2}));
    source.splits[1].labels = at::full({4}, label, at::kLong);
    return error_of([&] { ImageDataset(std::move(source)); });
  };
  EXPECT_THAT(refusal(2), HasSubstr("label 2 found, 0 to 1 expected"));
  EXPECT_THAT(refusal(-1), HasSubstr("label -1 found"));
  EXPECT_EQ(refusal(1), "no error");
  ImageSource empty{.origin = "here", .content_hash = "0", .classes = {"a", "b"}};
  empty.splits[0] = pixels_of({2, 2});
  EXPECT_THAT(error_of([&] { ImageDataset(std::move(empty)); }),
              HasSubstr("nothing is left for validation"));
}

TEST(ImageDataset, EveryClassThatIsHeldOutIsTrained) {
  const auto source = [](const std::vector<int64_t>& trained, const std::vector<int64_t>& tested) {
    ImageSource made{.origin = "here", .content_hash = "0", .classes = {"a", "b", "c"}};
    made.splits = {pixels_of(trained), pixels_of(trained), pixels_of(tested)};
    return made;
  };
  EXPECT_THAT(error_of([&] {
                ImageDataset(source({0, 4}, {0, 2}));
              }),
              HasSubstr("here: one class only (b) in training, at least two classes expected"));
  EXPECT_THAT(error_of([&] {
                ImageDataset(source({4, 4}, {1, 1, 5}));
              }),
              HasSubstr("here: class c has no sample in training and 5 held out"));
  // Some of the digits only: the others are never asked for.
  EXPECT_THAT(ImageDataset(source({4, 0, 4}, {1, 0, 1})).report(),
              HasSubstr("3 classes, 1x1 pixels, grey; without pictures: b; train 8"));
}

}  // namespace
}  // namespace relbias::modalities
