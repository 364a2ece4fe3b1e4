// SPDX-License-Identifier: Apache-2.0
// tests: every format that is read: orientation, meaning of the samples, colour key, depth.
#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <tiffio.h>

#include "modalities/image/picture_file.h"
#include "modalities/plain/files.h"
#include "tests/modalities/image/formats/files.h"
#include "tests/scratch_folder.h"

namespace relbias::modalities {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;
using namespace std::string_literals;

PictureFile read(const std::string& bytes, int64_t side, bool colour = false) {
  return read_picture(bytes, {.side = side, .colour = colour, .fit = "stretch", .least = 1});
}
std::vector<float> row(const PictureFile& file, int64_t number = 0, int64_t channel = 0) {
  EXPECT_EQ(file.fault, "");
  if (!file.pixels.defined()) return {};
  const at::Tensor values = file.pixels[channel][number].contiguous();
  return {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()};
}
auto near(std::vector<float> values) { return Pointwise(FloatNear(1e-6F), std::move(values)); }

// 2 x 2: 10 20 over 30 40, so that each of the eight ways to lie is another.
cv::Mat square() { return cv::Mat_<unsigned char>({2, 2}, {10, 20, 30, 40}); }
// What a viewer shows, row by row, for the orientations 1 to 8.
const std::vector<std::vector<float>> shown = {{10, 20, 30, 40}, {20, 10, 40, 30}, {40, 30, 20, 10},
                                               {30, 40, 10, 20}, {10, 30, 20, 40}, {30, 10, 40, 20},
                                               {40, 20, 30, 10}, {20, 40, 10, 30}};

TEST(Formats, EveryFormatWithAnOrientationIsTurned) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const std::string tag = exif_of(orientation);
    const std::map<std::string, std::string> files = {
        {"png", Png{{"\x0A\x14", "\x1E\x28"}, 2, 8, 0, png_chunk("eXIf", tag)}.bytes()},
        {"webp", webp_with(square(), "EXIF", tag, 8)},
        {"webp with its name", webp_with(square(), "EXIF", "Exif\0\0"s + tag, 8)},
        {"tiff", Tiff{"\x0A\x14\x1E\x28", 2, 2, 8, {{274, orientation}}}.bytes()},
        {"tiff of 16 bits",
         Tiff{"\x0A\x0A\x14\x14\x1E\x1E\x28\x28", 2, 2, 16, {{274, orientation}}}.bytes()}};
    for (const auto& [format, bytes] : files) {
      const PictureFile file = read(bytes, 2);
      ASSERT_EQ(file.fault, "") << format;
      at::Tensor pixels = (file.pixels * 255).round().flatten();
      const std::vector<float> values(pixels.data_ptr<float>(), pixels.data_ptr<float>() + 4);
      EXPECT_EQ(values, shown[static_cast<size_t>(orientation - 1)]) << format << orientation;
    }
  }
}

TEST(Formats, ATransparentLevelOfGreyIsBlack) {
  const auto key = [](int level) { return png_chunk("tRNS", big(level, 2)); };
  EXPECT_THAT(row(read(Png{{"\x33\x66\xFF"}, 3, 8, 0, key(0x66)}.bytes(), 3)), near({.2F, 0, 1}));
  EXPECT_THAT(row(read(Png{{"\x33\x66\xFF"}, 3, 8, 0}.bytes(), 3)), near({.2F, .4F, 1}));
  // 16 bits: the level next to it stays.
  const PictureFile deep = read(Png{{"\x66\x66\x66\x67"}, 2, 16, 0, key(0x6666)}.bytes(), 2);
  EXPECT_THAT(row(deep), near({0, 26215.F / 65535}));
  // 2 bits: levels 0 1 2 3, of which 1 is transparent.
  EXPECT_THAT(row(read(Png{{"\x1B"}, 4, 2, 0, key(1)}.bytes(), 4)), near({0, 0, 2 / 3.F, 1}));
  const std::string red_key = png_chunk("tRNS", big(51, 2) + big(0, 2) + big(0, 2));
  const std::string colours = Png{{"\x33\0\0\x34\0\0"s}, 2, 8, 2, red_key}.bytes();
  EXPECT_THAT(row(read(colours, 2, true)), near({0, 52 / 255.F}));
}

TEST(Formats, SamplesOfAPnmAreDividedByItsLargestValue) {
  for (const int most : {15, 100, 255, 1023, 4095, 65535}) {
    const std::vector<int> values = {0, 1, most / 3, most};
    std::string binary = fmt::format("P5\n# a comment\n4 1\n{}\n", most);
    std::string written = fmt::format("P2 4 1 {}\n", most);
    std::vector<float> expected;
    for (const int value : values) {
      binary += big(value, most > 255 ? 2 : 1);
      written += fmt::format("{} ", value);
      expected.push_back(static_cast<float>(value) / static_cast<float>(most));
    }
    EXPECT_THAT(row(read(binary, 4)), near(expected)) << most;
    EXPECT_THAT(row(read(written, 4)), near(expected)) << most;
    written.pop_back();  // nothing need stand behind the last
    EXPECT_THAT(row(read(written, 4)), near(expected)) << most;
    EXPECT_EQ(read(binary, 4).deep, 255 % most != 0) << most;
  }
}

TEST(Formats, PnmOfAllKinds) {
  EXPECT_THAT(row(read("P1 4 1 01 1 0", 4)), near({1, 0, 0, 1}));
  EXPECT_THAT(row(read("P4 4 1 \x60", 4)), near({1, 0, 0, 1}));
  for (const std::string& colour : {"P3 2 1 10 1 2 3 4 5 6"s, "P6 2 1 10 \1\2\3\4\5\6"s}) {
    EXPECT_THAT(row(read(colour, 2, true), 0, 0), near({.1F, .4F}));
    EXPECT_THAT(row(read(colour, 2, true), 0, 2), near({.3F, .6F}));
  }
  EXPECT_EQ(read("P5 4 4 255 abc", 4).fault, "cut short");
  EXPECT_EQ(read("P2 2 1 255 7", 4).fault, "cut short");
  EXPECT_EQ(read("P2 2 1 255 7 300", 4).fault, "damaged");
  EXPECT_EQ(read("P5 2 1 0 ab", 4).fault, "damaged");
  EXPECT_EQ(read("P5 99999999999999999999 1 255 ab", 4).fault, "damaged");
  EXPECT_EQ(read("P5 60000 60000 255 ab", 4).fault, "of too many pixels");
  EXPECT_EQ(read("P1 2 1 02", 4).fault, "damaged");
  EXPECT_THAT(read("P5 1 1 255 aP5 1 1 255 b", 4).notes,
              Contains("of several pages, the first read"));
}

TEST(Formats, WhereZeroIsWhiteATiffIsInverted) {
  EXPECT_THAT(row(read(Tiff{"\0\x33\xFF"s, 3, 1, 8, {{262, 0}}}.bytes(), 3)), near({1, .8F, 0}));
  EXPECT_THAT(row(read(Tiff{"\0\0\x33\x33\xFF\xFF"s, 3, 1, 16, {{262, 0}}}.bytes(), 3)),
              near({1, .8F, 0}));
  EXPECT_THAT(row(read(Tiff{"\x60", 4, 1, 1, {{262, 0}}}.bytes(), 4)), near({1, 0, 0, 1}));
  EXPECT_THAT(row(read(Tiff{"\x60", 4, 1, 1}.bytes(), 4)), near({0, 1, 1, 0}));
  EXPECT_THAT(row(read(Tiff{"\x1B", 4, 1, 2}.bytes(), 4)), near({0, 1 / 3.F, 2 / 3.F, 1}));
}

TEST(Formats, ATiffsChannelsAreWhatItSays) {
  const std::map<int, int> colours = {{262, 2}, {277, 3}};
  std::map<int, int> planes = colours, open = {{262, 2}, {277, 4}}, covered = open, half = open;
  planes[284] = 2;
  open[338] = 0;
  covered[338] = 1;
  half[338] = 2;
  const auto tiff = [](const std::string& data, int bits, const std::map<int, int>& tags) {
    return Tiff{data, 1, 1, bits, tags}.bytes();
  };
  for (const auto& [data, bits] :
       {std::pair{"\xFF\x33\x66"s, 8}, {"\xFF\xFF\x33\x33\x66\x66"s, 16}}) {
    const PictureFile file = read(tiff(data, bits, colours), 1, true);
    EXPECT_THAT(row(file, 0, 0), near({1})) << bits;
    EXPECT_THAT(row(file, 0, 1), near({.2F})) << bits;
    EXPECT_THAT(row(file, 0, 2), near({.4F})) << bits;
  }
  // Colours that are multiplied by their share already are not multiplied once more.
  for (const auto& [data, bits] :
       {std::pair{"\x66\x66\x66\x80"s, 8}, {"\x66\x66\x66\x66\x66\x66\x80\x80"s, 16}}) {
    EXPECT_THAT(row(read(tiff(data, bits, covered), 1, true)), near({.4F})) << bits;
    EXPECT_THAT(row(read(tiff(data, bits, half), 1, true)), near({.4F * 128 / 255})) << bits;
    EXPECT_EQ(read(tiff(data, bits, open), 1, true).fault,
              "TIFF with a channel of unknown meaning");
  }
  const std::map<int, int> grey = {{262, 1}, {277, 2}, {338, 2}};
  EXPECT_THAT(row(read(tiff("\x66\x80", 8, grey), 1)), near({.4F * 128 / 255}));
  EXPECT_EQ(read(tiff("\x66\x66", 16, {{339, 2}}), 1).fault, "neither 8 nor 16 bits");
  EXPECT_EQ(read(tiff("\x66\x66\x66", 8, {{262, 8}, {277, 3}}), 1).fault,
            "TIFF of colours that are not read");
}

// Planes of their own: OpenCV made noise of them.
TEST(Formats, ATiffsPlanesAreJoined) {
  const ScratchFolder folder;
  const std::string path = (folder.path() / "planes.tif").string();
  TIFF* file = TIFFOpen(path.c_str(), "w");
  for (const auto& [tag, value] :
       std::map<int, int>{{256, 2}, {257, 2}, {258, 16}, {262, 2}, {277, 3}, {278, 1}, {284, 2}}) {
    TIFFSetField(file, static_cast<uint32_t>(tag), value);
  }
  for (uint16_t plane = 0; plane < 3; ++plane) {
    for (uint32_t y = 0; y < 2; ++y) {
      std::array<uint16_t, 2> row = {static_cast<uint16_t>(1000 * plane + 10 * y), 7};
      TIFFWriteScanline(file, row.data(), y, plane);
    }
  }
  TIFFClose(file);
  const PictureFile picture = read(read_file(path), 2, true);
  for (int64_t plane = 0; plane < 3; ++plane) {
    const float first = static_cast<float>(1000 * plane + 10) / 65535;
    EXPECT_THAT(row(picture, 1, plane), near({first, 7.F / 65535})) << plane;
  }
}

// libtiff goes on past damage and leaves black; of it nothing was seen in 8 bits.
TEST(Formats, DamagedTiffsAreRefused) {
  cv::Mat picture(64, 64, CV_8UC3);
  cv::randu(picture, 0, 256);
  for (const int packing : {1, 5, 8, 32946, 32773}) {
    const std::string whole = encoded(picture, ".tiff", {cv::IMWRITE_TIFF_COMPRESSION, packing});
    ASSERT_EQ(read(whole, 64).fault, "") << packing;
    for (size_t size = 8; size < whole.size() - 1; size += 997) {
      EXPECT_NE(read(whole.substr(0, size), 64).fault, "") << packing << " at " << size;
    }
    if (packing == 1 || packing == 32773) continue;  // nothing tells other samples from these
    std::string damaged = whole;
    for (size_t n = whole.size() / 2; n < whole.size() / 2 + 40; ++n) damaged[n] ^= 0x5A;
    EXPECT_EQ(read(damaged, 64).fault, "damaged") << packing;
  }
}

TEST(Formats, WhatIsNotAppliedIsSaid) {
  const auto notes = [](const std::string& bytes) { return read(bytes, 2, true).notes; };
  const std::string profile = "with a colour profile, which is not applied";
  const std::vector<std::string> rows = {"\1\2", "\3\4"};
  EXPECT_THAT(notes(Png{rows, 2, 8, 0, png_chunk("iCCP", "Display P3\0\0x"s)}.bytes()),
              Contains(profile));
  EXPECT_THAT(notes(Png{rows, 2, 8, 0, png_chunk("gAMA", big(100000, 4))}.bytes()),
              Contains("with a gamma, which is not applied"));
  EXPECT_THAT(notes(Png{rows, 2, 8, 0, png_chunk("gAMA", big(45455, 4))}.bytes()), ElementsAre());
  EXPECT_THAT(notes(webp_with(square(), "ICCP", "a profile", 0x20)), Contains(profile));
  EXPECT_THAT(notes(webp_with(square(), "ICCP", "this is sRGB", 0x20)), ElementsAre());
  std::string jpeg = encoded(cv::Mat(2, 2, CV_8UC1, cv::Scalar(9)), ".jpg");
  jpeg.insert(2, "\xFF\xE2\0\x14ICC_PROFILE\0\1\1abcd"s);
  EXPECT_THAT(notes(jpeg), Contains(profile));
  EXPECT_THAT(notes(Png{rows, 2, 8, 0, png_chunk("eXIf", "MM\0*\0\0\xFF\0"s)}.bytes()),
              Contains("with EXIF that cannot be read"));
}

TEST(Formats, WhatOpenCvReadsOtherwiseThanItIsMeantIsRefused) {
  const auto bmp = [](int bits, int packing, const std::string& rest) {
    return "BM" + little(0, 8) + little(66, 4) + little(40, 4) + little(1, 4) + little(1, 4) +
           little(1, 2) + little(bits, 2) + little(packing, 4) + std::string(20, '\0') + rest;
  };
  EXPECT_EQ(read(bmp(16, 0, std::string(16, '\x7F')), 1).fault, "BMP of 16 bits a pixel");
  const std::string ten = little(0x3FF, 4) + little(0xFFC00, 4) + little(0x3FF00000, 4);
  EXPECT_EQ(read(bmp(32, 3, ten + "abcd"), 1).fault, "BMP with colours that are not bytes");
  EXPECT_EQ(read("GIF89a and so on", 1).fault, "not a picture of a format that is read");
  const std::string webp = webp_with(square(), "ANIM", "abcdef", 2);
  EXPECT_EQ(read(webp, 2).fault, "animated");
  EXPECT_EQ(read(webp.substr(0, webp.size() - 9), 2).fault, "cut short");
}

}  // namespace
}  // namespace relbias::modalities
