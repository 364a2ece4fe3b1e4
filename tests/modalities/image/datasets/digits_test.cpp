// SPDX-License-Identifier: Apache-2.0
// tests: dataset `digits` as published, and what is said where it is not.
#include <gmock/gmock.h>
#include <zlib.h>

#include <opencv2/imgcodecs.hpp>

#include "tests/error_of.h"
#include "tests/modalities/image/pictures.h"
#include "tests/scratch_folder.h"

namespace relbias::modalities {
namespace {

using testing::HasSubstr;

TEST(Digits, FiveThousandOfTenClasses) {
  const auto digits = image_dataset("digits");
  EXPECT_NEAR(static_cast<double>(digits->count(Split::train)), 3600, 100);
  EXPECT_NEAR(static_cast<double>(digits->count(Split::validation)), 400, 60);
  EXPECT_NEAR(static_cast<double>(digits->count(Split::test)), 1000, 90);
  EXPECT_EQ(
      digits->count(Split::train) + digits->count(Split::validation) + digits->count(Split::test),
      5000);
  EXPECT_EQ(digits->side(), 20);
  EXPECT_EQ(digits->channels(), 1);
  EXPECT_EQ(digits->classes().size(), 10U);
  EXPECT_THAT(digits->report(), HasSubstr("as in opencv-doc 4.6.0"));
}

// A zero has a hole in its middle and a one has not: cells and labels belong together.
TEST(Digits, CellsAndLabelsBelongTogether) {
  const auto digits = image_dataset("digits");
  const at::Tensor all = at::arange(digits->count(Split::test));
  const at::Tensor labels = digits->labels(Split::test, all);
  const at::Tensor middle =
      digits->pixels(Split::test, all).slice(2, 9, 11).slice(3, 9, 11).mean({1, 2, 3});
  const auto mean_of = [&](int64_t label) { return middle.masked_select(labels == label).mean(); };
  EXPECT_LT(mean_of(0).item<double>(), 0.15);
  EXPECT_GT(mean_of(1).item<double>(), 0.7);
}

TEST(Digits, NoPictureIsInTwoSplits) {
  const auto digits = image_dataset("digits");
  std::vector<at::Tensor> parts;
  for (const Split split : all_splits) {
    parts.push_back(
        std::get<0>(at::unique_dim(digits->pixels(split, at::arange(digits->count(split))), 0)));
  }
  const int64_t apart = parts[0].size(0) + parts[1].size(0) + parts[2].size(0);
  EXPECT_EQ(std::get<0>(at::unique_dim(at::cat(parts), 0)).size(0), apart);
}

TEST(Digits, AnotherFileIsNamedWithWhatIsWrong) {
  const ScratchFolder folder;
  const auto refusal = [](const std::string& path) {
    return error_of([&] { image_dataset("digits path=\"" + path + "\""); });
  };
  const std::string missing = (folder.path() / "digits.png").string();
  EXPECT_THAT(refusal(missing), HasSubstr("digits.png: run experiments/setup"));
  EXPECT_THAT(refusal(folder.write("text.png", "no picture")),
              HasSubstr("text.png is no picture that can be read"));
  EXPECT_THAT(refusal(folder.write("empty.png", "")),
              HasSubstr("empty.png is no picture that can be read"));
  const std::string small = (folder.path() / "small.png").string();
  cv::imwrite(small, cv::Mat(20, 40, CV_8UC1, cv::Scalar(0)));
  EXPECT_THAT(refusal(small), HasSubstr("small.png is a picture of 40x20 pixels"));
  const std::string other = (folder.path() / "other.png").string();
  cv::Mat noise(1000, 2000, CV_8UC1);
  cv::randu(noise, 0, 256);
  cv::imwrite(other, noise);
  EXPECT_THAT(image_dataset("digits path=" + other)->report(), HasSubstr("content differs"));
}

// A PNG whose header says another size, and is whole: sizes as 4 bytes, the checksum behind them.
std::string png_of_size(uint32_t width, uint32_t height) {
  std::vector<unsigned char> bytes;
  cv::imencode(".png", cv::Mat(20, 40, CV_8UC1, cv::Scalar(0)), bytes);
  const auto put = [&](size_t at, uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes.at(at++) = static_cast<unsigned char>(value >> shift & 0xFF);
    }
  };
  constexpr size_t kind = 12, end = kind + 4 + 13;  // of the header, IHDR
  put(kind + 4, width);
  put(kind + 8, height);
  put(end, static_cast<uint32_t>(crc32(0, bytes.data() + kind, end - kind)));
  return {bytes.begin(), bytes.end()};
}

// OpenCV throws where it is asked for more pixels than it allows.
TEST(Digits, AHeaderThatLiesAboutTheSizeIsNamed) {
  const ScratchFolder folder;
  const auto refusal = [&](uint32_t width, uint32_t height) {
    const std::string path = folder.write("large.png", png_of_size(width, height));
    return error_of([&] { image_dataset("digits path=\"" + path + "\""); });
  };
  EXPECT_THAT(refusal(40, 20), HasSubstr("large.png is a picture of 40x20 pixels"));
  EXPECT_THAT(refusal(900'000, 900'000), HasSubstr("large.png is no picture that can be read"));
}

}  // namespace
}  // namespace relbias::modalities
