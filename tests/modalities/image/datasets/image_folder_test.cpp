// SPDX-License-Identifier: Apache-2.0
// tests: dataset `image-folder`: layouts, and files that are damaged, alike or no pictures.
#include <gmock/gmock.h>

#include <opencv2/imgcodecs.hpp>

#include "tests/error_of.h"
#include "tests/modalities/image/pictures.h"
#include "tests/scratch_folder.h"

namespace relbias::modalities {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ImageFolder : public testing::Test {
 protected:
  // A picture unlike all others.
  std::string picture(const char* extension = ".png", int width = 12, int height = 12) {
    cv::Mat pixels(height, width, CV_8UC3);
    cv::randu(pixels, 0, 256);
    pixels.at<cv::Vec3b>(0, 0) = {static_cast<unsigned char>(++made_), 0, 0};
    std::vector<unsigned char> bytes;
    cv::imencode(extension, pixels, bytes);
    return {bytes.begin(), bytes.end()};
  }
  void write(const std::string& name) {
    folder_.write(name, picture(name.substr(name.rfind('.')).c_str()));
  }
  void write_class(const std::string& name, int count) {
    for (int n = 0; n < count; ++n) write(name + "/" + std::to_string(n) + ".png");
  }
  std::unique_ptr<ImageDataset> load(const std::string& options = "side=12") const {
    return image_dataset("image-folder path=\"" + folder_.path().string() + "\" " + options);
  }
  std::string refusal(const std::string& options = "side=12") const {
    return error_of([&] { load(options); });
  }

  ScratchFolder folder_;
  int made_ = 0;
};

TEST_F(ImageFolder, ClassesAreSortedFolders) {
  write_class("zebra", 10);
  write_class("ant", 20);
  write("ant/deep/below.jpg");
  const auto images = load();
  EXPECT_THAT(images->classes(), ElementsAre("ant", "zebra"));
  int64_t pictures = 0;
  for (const Split split : all_splits) {  // every class is in each
    pictures += images->count(split);
    const at::Tensor labels = images->labels(split, at::arange(images->count(split)));
    EXPECT_EQ(std::get<0>(at::_unique(labels)).size(0), 2);
  }
  EXPECT_EQ(pictures, 31);
  EXPECT_GT(images->count(Split::train), 31 / 2);
  EXPECT_EQ(images->channels(), 3);
  EXPECT_THAT(images->report(), AllOf(HasSubstr("31 of 31 pictures read"),
                                      HasSubstr("divided by content within each class"),
                                      HasSubstr("orientation as EXIF says")));
}

TEST_F(ImageFolder, FoldersOfSplitsAreKept) {
  for (const char* split : {"train", "test"}) {
    for (const char* name : {"a", "b"}) write_class(std::string(split) + "/" + name, 10);
  }
  EXPECT_THAT(load()->report(), AllOf(HasSubstr("split as its folders, validation cut from train"),
                                      HasSubstr("test 20")));
  EXPECT_EQ(load()->count(Split::train) + load()->count(Split::validation), 20);
  EXPECT_GE(load()->count(Split::validation), 2);  // of each class one
  for (const char* name : {"a", "b"}) write_class(std::string("val/") + name, 3);
  EXPECT_THAT(load()->report(), HasSubstr("train 20; validation 6; test 20"));
  write_class("test/c", 2);
  EXPECT_THAT(refusal(), HasSubstr("class c has no sample in training and 2 held out"));
}

TEST_F(ImageFolder, SplitsAreNeverTakenForClasses) {
  for (const char* split : {"train", "test"}) {
    for (const char* name : {"a", "b"}) write_class(std::string(split) + "/" + name, 10);
  }
  write("sheet.png");
  EXPECT_THAT(load()->report(),
              AllOf(HasSubstr("1 skipped: in no class folder"), HasSubstr("split as its folders")));
  write_class("other", 3);
  EXPECT_THAT(refusal(), HasSubstr("folders of splits and beside them other"));
}

TEST_F(ImageFolder, SplitsWithoutATestAreRefused) {
  for (const char* name : {"train/a", "train/b", "val/a", "val/b"}) write_class(name, 5);
  EXPECT_THAT(refusal(), HasSubstr("folders of splits, train and test expected among them"));
}

TEST_F(ImageFolder, WhatCannotBeReadIsSkippedCountedAndNamed) {
  write_class("a", 10);
  write_class("b", 10);
  const std::string jpeg = picture(".jpg", 64, 64), png = picture(".png", 64, 64);
  folder_.write("a/half.jpg", jpeg.substr(0, jpeg.size() / 2));
  folder_.write("b/half.png", png.substr(0, png.size() / 2));
  folder_.write("a/empty.png", "");
  folder_.write("a/text.png", "this is text\n");
  folder_.write("b/tiny.png", picture(".png", 4, 40));
  folder_.write("stray.png", picture());
  folder_.write("a/twin.png", png);
  folder_.write("b/twin.png", png);
  folder_.write("a/notes.txt", "ignored");
  const auto images = load();
  EXPECT_THAT(
      images->report(),
      AllOf(HasSubstr("21 of 28 pictures read"), HasSubstr("2 skipped: cut short (a/half.jpg)"),
            HasSubstr("1 skipped: empty (a/empty.png)"),
            HasSubstr("1 skipped: not a picture of a format that is read (a/text.png)"),
            HasSubstr("1 skipped: smaller than 8 pixels (b/tiny.png)"),
            HasSubstr("1 skipped: a copy (b/twin.png)"), HasSubstr("1 skipped: in no class folder"),
            HasSubstr("other files: 1 .txt"), Not(HasSubstr("notes"))));
}

TEST_F(ImageFolder, OneSixteenBitPictureKeepsAllItsBits) {
  write_class("a", 5);
  write_class("b", 5);
  EXPECT_EQ(load("side=12 colours=grey")->channels(), 1);
  cv::imwrite((folder_.path() / "a" / "deep.png").string(),
              cv::Mat(12, 12, CV_16UC1, cv::Scalar(40000)));
  const auto images = load("side=12 colours=grey");
  EXPECT_THAT(images->report(), HasSubstr("1 of 16 bits"));
  double nearest = 1;
  for (const Split split : all_splits) {
    const at::Tensor pixels = images->pixels(split, at::arange(images->count(split)));
    nearest = std::min(nearest, (pixels.mean({1, 2, 3}) - 0.6103609).abs().min().item<double>());
  }
  EXPECT_LT(nearest, 1e-6);
}

TEST_F(ImageFolder, SizesAreBroughtToOneAndSaid) {
  write_class("a", 5);
  write_class("b", 5);
  folder_.write("a/wide.png", picture(".png", 60, 30));
  EXPECT_THAT(load("side=24 fit=pad")->report(),
              AllOf(HasSubstr("10 enlarged (without new detail)"), HasSubstr("not square: pad"),
                    HasSubstr("24x24 pixels")));
}

TEST_F(ImageFolder, FoldersThatAreNoDatasetAreErrors) {
  EXPECT_THAT(refusal(), HasSubstr("class folders with pictures expected"));
  write_class("only", 5);
  EXPECT_THAT(refusal(), HasSubstr("one class only (only)"));
  folder_.write("damaged/a.png", "text");
  EXPECT_THAT(
      refusal(),
      AllOf(HasSubstr("class damaged is left without pictures"),
            HasSubstr("1 skipped: not a picture of a format that is read (damaged/a.png)")));
  EXPECT_THAT(error_of([] { image_dataset("image-folder"); }), HasSubstr("path= is missing"));
  EXPECT_THAT(error_of([] { image_dataset("image-folder path=/no/such/folder"); }),
              HasSubstr("/no/such/folder does not exist"));
  EXPECT_THAT(refusal("side=0"), HasSubstr("1 to 4096"));
  std::filesystem::remove_all(folder_.path() / "damaged");
  write_class("second", 5);
  std::filesystem::create_directory(folder_.path() / "empty");
  EXPECT_THAT(refusal(), HasSubstr("class empty is left without pictures"));
}

// A class that is a link was not seen at all: `24 of 24 read` of two classes instead of three.
TEST_F(ImageFolder, LinksAreFollowedAndTheirEndsCounted) {
  const ScratchFolder elsewhere;
  write_class("a", 6);
  write_class("b", 6);
  for (int n = 0; n < 6; ++n) elsewhere.write(std::to_string(n) + ".png", picture());
  std::filesystem::create_directory_symlink(elsewhere.path(), folder_.path() / "c");
  std::filesystem::create_symlink("nowhere.png", folder_.path() / "a" / "gone.png");
  std::filesystem::create_directory_symlink("..", folder_.path() / "b" / "up");
  const auto images = load();
  EXPECT_THAT(images->classes(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(images->report(),
              AllOf(HasSubstr("18 of 18 pictures read"),
                    HasSubstr("1 links lead nowhere (first a/gone.png)"),
                    HasSubstr("1 links lead back to where they lie (first b/up)")));
}

TEST_F(ImageFolder, TheHashFollowsContentAndNames) {
  write_class("a", 5);
  write_class("b", 5);
  const std::string before = load()->content_hash();
  EXPECT_EQ(load()->content_hash(), before);
  std::filesystem::rename(folder_.path() / "a" / "0.png", folder_.path() / "a" / "00.png");
  EXPECT_NE(load()->content_hash(), before);
}

}  // namespace
}  // namespace relbias::modalities
