// SPDX-License-Identifier: Apache-2.0
// tests: pictures from files: orientation, depth, channels, transparency, and damaged files.
#include "modalities/image/picture_file.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "tests/modalities/image/formats/files.h"

namespace relbias::modalities {
namespace {

// A JPEG with an EXIF segment that says how to turn it.
std::string with_orientation(const std::string& jpeg, char orientation) {
  using namespace std::string_literals;
  const std::string exif = "Exif\0\0"s + exif_of(orientation);
  std::string segment = "\xFF\xE1\0?"s;
  segment.back() = static_cast<char>(exif.size() + 2);
  std::string turned = jpeg;
  turned.insert(2, segment.append(exif));
  return turned;
}

// 64x64 with something to see everywhere.
cv::Mat scene() {
  cv::Mat picture(64, 64, CV_8UC3);
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      picture.at<cv::Vec3b>(y, x) = {static_cast<unsigned char>(4 * x),
                                     static_cast<unsigned char>(4 * y),
                                     static_cast<unsigned char>((x * y) % 256)};
    }
  }
  return picture;
}

std::vector<float> numbers(const at::Tensor& values) {
  const at::Tensor flat = values.contiguous().flatten();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

// Seen elsewhere: the same photo upright or on its side.
TEST(PictureFile, IsTurnedAsExifSays) {
  cv::Mat picture(16, 32, CV_8UC1, cv::Scalar(0));
  picture.colRange(0, 16).setTo(255);  // the left half is white
  const std::string bytes = with_orientation(encoded(picture, ".jpg"), 6);
  // Turned clockwise the left half is the upper one: 16 wide, 32 high.
  const PictureFile file = read_picture(bytes, {.side = 32, .colour = false, .fit = "stretch"});
  ASSERT_EQ(file.fault, "");
  EXPECT_GT(file.pixels[0].narrow(0, 0, 15).min().item<float>(), 0.9);
  EXPECT_LT(file.pixels[0].narrow(0, 17, 15).max().item<float>(), 0.1);
}

// Seen elsewhere: 16 bits cut to 8.
TEST(PictureFile, SixteenBitsStay) {
  const cv::Mat row = (cv::Mat_<unsigned short>(1, 5) << 0, 255, 256, 40000, 65535);
  cv::Mat picture;
  cv::repeat(row, 5, 1, picture);
  const PictureFile file =
      read_picture(encoded(picture, ".png"), {.side = 5, .colour = false, .least = 1});
  ASSERT_EQ(file.fault, "");
  EXPECT_TRUE(file.deep);
  EXPECT_THAT(numbers(file.pixels[0][2]),
              testing::Pointwise(testing::FloatNear(1e-7f),
                                 {0.f, 255.f / 65535, 256.f / 65535, 0.6103609f, 1.f}));
}

// Seen elsewhere: blue for red.
TEST(PictureFile, ChannelsAreRedGreenBlue) {
  const std::string red = encoded(cv::Mat(8, 8, CV_8UC3, cv::Scalar(0, 0, 255)), ".png");
  const PictureFile colour = read_picture(red, {.side = 8});
  EXPECT_EQ(numbers(colour.pixels.select(1, 0).select(1, 0)), (std::vector<float>{1, 0, 0}));
  const PictureFile grey = read_picture(red, {.side = 8, .colour = false});
  EXPECT_NEAR(grey.pixels[0][0][0].item<float>() * 255, 76, 0.5);
  const PictureFile from_grey =
      read_picture(encoded(cv::Mat(8, 8, CV_8UC1, cv::Scalar(51)), ".png"), {.side = 8});
  EXPECT_EQ(from_grey.pixels.sizes(), at::IntArrayRef({3, 8, 8}));
  EXPECT_NEAR(from_grey.pixels.std().item<float>(), 0, 1e-7);
  EXPECT_NEAR(from_grey.pixels.mean().item<float>(), 0.2, 1e-6);
}

TEST(PictureFile, TransparencyIsOverBlack) {
  cv::Mat picture(8, 8, CV_8UC4, cv::Scalar(255, 255, 255, 255));
  picture.colRange(4, 8).setTo(cv::Scalar(255, 255, 255, 51));
  const PictureFile file = read_picture(encoded(picture, ".png"), {.side = 8});
  EXPECT_NEAR(file.pixels[1][3][0].item<float>(), 1, 1e-6);
  EXPECT_NEAR(file.pixels[1][3][7].item<float>(), 0.2, 1e-6);
}

// Seen elsewhere: half a JPEG taken for a picture.
TEST(PictureFile, WhatIsCutShortIsRefused) {
  const std::string jpeg = encoded(scene(), ".jpg"), png = encoded(scene(), ".png");
  ASSERT_EQ(read_picture(jpeg, {}).fault, "");
  ASSERT_EQ(read_picture(png, {}).fault, "");
  for (size_t size = 0; size < jpeg.size(); size += 37) {
    EXPECT_NE(read_picture(jpeg.substr(0, size), {}).fault, "") << size << " of " << jpeg.size();
  }
  for (size_t size = 0; size < png.size() - 12; size += 97) {
    EXPECT_NE(read_picture(png.substr(0, size), {}).fault, "") << size << " of " << png.size();
  }
  EXPECT_EQ(read_picture(jpeg.substr(0, jpeg.size() / 2), {}).fault, "cut short");
  EXPECT_EQ(read_picture(png.substr(0, png.size() / 2), {}).fault, "cut short");
  EXPECT_EQ(read_picture("", {}).fault, "empty");
}

// libjpeg fills up what is missing and shifts what is unreadable.
// Seen elsewhere: half a JPEG taken for a picture.
TEST(PictureFile, DamagedPixelsOfAJpegAreRefused) {
  using namespace std::string_literals;
  for (const int progressive : {0, 1}) {
    std::vector<unsigned char> bytes;
    cv::imencode(".jpg", scene(), bytes, {cv::IMWRITE_JPEG_PROGRESSIVE, progressive});
    const std::string jpeg(bytes.begin(), bytes.end());
    ASSERT_EQ(read_picture(jpeg, {}).fault, "");
    const std::string ended = jpeg.substr(0, jpeg.size() * 2 / 3) + "\xFF\xD9"s;
    EXPECT_EQ(read_picture(ended, {}).fault, "damaged") << progressive;
    std::string zeros = jpeg;
    zeros.replace(jpeg.size() / 2, jpeg.size() / 4, jpeg.size() / 4, '\0');
    EXPECT_EQ(read_picture(zeros, {}).fault, "damaged") << progressive;
  }
}

TEST(PictureFile, WhatDecodersSayIsNotShown) {
  std::string png = encoded(scene(), ".png");
  png[png.size() / 2] ^= 1;
  testing::internal::CaptureStderr();
  EXPECT_EQ(read_picture(png, {}).fault, "damaged");
  EXPECT_EQ(read_picture(encoded(scene(), ".bmp").substr(0, 2000), {}).fault, "damaged");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  EXPECT_EQ(read_picture(encoded(scene(), ".png"), {}).fault, "");
  std::fputs("shown again", stderr);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "shown again");
}

// The preview inside a photo ends with a marker of its own, before the photo does.
TEST(PictureFile, APreviewsEndIsNotThePhotosEnd) {
  using namespace std::string_literals;
  const std::string jpeg = encoded(scene(), ".jpg");
  std::string photo = jpeg;
  photo.insert(2,
               "\xFF\xED\0\x08"
               "ab\xFF\xD9zz"s);
  EXPECT_EQ(read_picture(photo, {}).fault, "");
  EXPECT_EQ(read_picture(photo.substr(0, photo.size() / 2), {}).fault, "cut short");
  EXPECT_EQ(read_picture(jpeg + "trailing bytes", {}).fault, "");
}

TEST(PictureFile, WhatIsNoPictureIsRefused) {
  EXPECT_EQ(read_picture("just some text\n", {}).fault, "not a picture of a format that is read");
  EXPECT_EQ(read_picture(std::string("\x89PNG\r\n\x1a\n") + "IEND", {}).fault, "cut short");
  EXPECT_EQ(read_picture(encoded(cv::Mat(7, 40, CV_8UC1, cv::Scalar(9)), ".png"), {}).fault,
            "smaller than 8 pixels");
  const std::string real = encoded(cv::Mat(9, 9, CV_32FC1, cv::Scalar(0.5)), ".tiff");
  EXPECT_EQ(read_picture(real, {}).fault, "neither 8 nor 16 bits");
}

TEST(PictureFile, ThreeWaysToMakeASquare) {
  cv::Mat picture(10, 20, CV_8UC1, cv::Scalar(255));
  picture.colRange(0, 5).setTo(0);
  const auto columns = [&](const char* fit, int64_t row) {
    const PictureFile file =
        read_picture(encoded(picture, ".png"), {.side = 10, .colour = false, .fit = fit});
    return numbers(file.pixels[0][row]);
  };
  EXPECT_THAT(columns("crop", 5), testing::Each(1));  // columns 5 to 14
  EXPECT_EQ(columns("stretch", 5), (std::vector<float>{0, 0, 0.5, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(columns("pad", 5), columns("stretch", 5));
  EXPECT_THAT(columns("pad", 0), testing::Each(0));
}

// Padded it would be a square of more than a gigabyte.
TEST(PictureFile, WhatIsTooLongToPadIsRefused) {
  const std::string line = encoded(cv::Mat(8, 16'385, CV_8UC1, cv::Scalar(9)), ".png");
  const auto fault = [&](const char* fit) {
    return read_picture(line, {.side = 8, .colour = false, .fit = fit}).fault;
  };
  EXPECT_EQ(fault("pad"), "longer than 16384 pixels");
  EXPECT_EQ(fault("crop"), "");
  EXPECT_EQ(fault("stretch"), "");
}

TEST(PictureFile, AnAxisThatShrinksIsAveragedWhateverTheOtherDoes) {
  // 8 rows, 40 columns, every fifth white: to 10 x 10 an average of 4 columns, never one of them.
  cv::Mat picture(8, 40, CV_8UC1, cv::Scalar(0));
  for (int column = 0; column < 40; column += 4) picture.col(column).setTo(200);
  const PictureFile file =
      read_picture(encoded(picture, ".png"), {.side = 10, .colour = false, .fit = "stretch"});
  EXPECT_THAT(numbers(file.pixels.flatten()), testing::Each(testing::FloatNear(50.f / 255, 1e-6f)));
  EXPECT_THAT(file.notes, testing::ElementsAre("enlarged (without new detail)"));
  EXPECT_THAT(
      read_picture(encoded(picture, ".png"), {.side = 10, .colour = false, .fit = "pad"}).notes,
      testing::IsEmpty());
}

}  // namespace
}  // namespace relbias::modalities
