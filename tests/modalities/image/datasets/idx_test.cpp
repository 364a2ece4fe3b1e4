// SPDX-License-Identifier: Apache-2.0
// tests: dataset `idx`: plain and packed files, and every way in which they can be wrong.
#include <gmock/gmock.h>
#include <zlib.h>

#include "tests/error_of.h"
#include "tests/modalities/image/pictures.h"
#include "tests/scratch_folder.h"

namespace relbias::modalities {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string number(uint32_t value) {  // big-endian
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

std::string idx(uint32_t magic, const std::vector<uint32_t>& sizes, const std::string& data) {
  std::string bytes = number(magic);
  for (const uint32_t size : sizes) bytes += number(size);
  return bytes + data;
}

// `count` pictures of 2x3 or side x side pixels that count up, labelled 0 1 2 0 1 2 ...
std::string pictures(uint32_t count, uint32_t height = 3, uint32_t width = 3) {
  std::string data;
  for (uint32_t n = 0; n < count * height * width; ++n) data += static_cast<char>(n);
  return idx(0x803, {count, height, width}, data);
}
std::string labels(uint32_t count, uint32_t classes = 3) {
  std::string data;
  for (uint32_t n = 0; n < count; ++n) data += static_cast<char>(n % classes);
  return idx(0x801, {count}, data);
}

class Idx : public testing::Test {
 protected:
  Idx() {
    put("train-images-idx3-ubyte", pictures(30));
    put("train-labels-idx1-ubyte", labels(30));
    put("t10k-images-idx3-ubyte", pictures(6));
    put("t10k-labels-idx1-ubyte", labels(6));
  }
  void put(const std::string& name, const std::string& bytes) { folder_.write(name, bytes); }
  void pack(const std::string& name) {  // replaces a file by its packed form
    const std::string path = (folder_.path() / name).string();
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    gzFile packed = gzopen((path + ".gz").c_str(), "wb");
    gzwrite(packed, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(packed);
    std::filesystem::remove(path);
  }
  std::unique_ptr<ImageDataset> load(int classes = 3) const {
    return image_dataset(
        fmt::format("idx classes={} path=\"{}\"", classes, folder_.path().string()));
  }
  std::string refusal() const {
    return error_of([&] { load(); });
  }

  ScratchFolder folder_;
};

TEST_F(Idx, PicturesAndLabelsBelongTogether) {
  const auto images = load();
  EXPECT_EQ(images->count(Split::train) + images->count(Split::validation), 30);
  for (const Split split : {Split::train, Split::validation}) {  // every class is in both
    const at::Tensor found = images->labels(split, at::arange(images->count(split)));
    EXPECT_EQ(std::get<0>(at::_unique(found)).size(0), 3);
  }
  const at::Tensor all = at::arange(6);
  const at::Tensor pixels = images->pixels(Split::test, all);
  EXPECT_NEAR(pixels[1][0][0][2].item<double>(), 11.0 / 255, 1e-7);
  EXPECT_TRUE(at::equal(images->labels(Split::test, all), all.remainder(3)));
}

TEST_F(Idx, PackedFilesAreTheSameData) {
  const std::string hash = load()->content_hash();
  for (const char* name : {"train-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}) pack(name);
  EXPECT_EQ(load()->content_hash(), hash);
}

TEST_F(Idx, AWrongMagicNumberIsNamed) {
  put("train-images-idx3-ubyte", idx(0x801, {30, 3, 3}, std::string(270, 'x')));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("train-images-idx3-ubyte: magic number 0x00000801 found"),
                               HasSubstr("0x00000803 expected")));
  put("train-images-idx3-ubyte", "text");
  EXPECT_THAT(refusal(), HasSubstr("4 bytes found, a header of 16 expected"));
  put("train-images-idx3-ubyte", "");
  EXPECT_THAT(refusal(), HasSubstr("0 bytes found"));
}

TEST_F(Idx, BytesAreCountedAgainstTheHeader) {
  const std::string whole = pictures(30);
  put("train-images-idx3-ubyte", whole.substr(0, whole.size() - 1));
  EXPECT_THAT(refusal(), HasSubstr("269 bytes of data found, 270 expected by its header"));
  put("train-images-idx3-ubyte", whole + "x");
  EXPECT_THAT(refusal(), HasSubstr("271 bytes of data found, 270 expected"));
  // A product of sizes that overflows 64 bits.
  put("train-images-idx3-ubyte", idx(0x803, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, ""));
  EXPECT_THAT(refusal(), HasSubstr("0 bytes of data found"));
}

TEST_F(Idx, ACutPackedFileIsDamaged) {
  pack("train-images-idx3-ubyte");
  const auto path = folder_.path() / "train-images-idx3-ubyte.gz";
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THAT(refusal(), HasSubstr("train-images-idx3-ubyte.gz is damaged after"));
}

TEST_F(Idx, LabelsAreChecked) {
  put("train-labels-idx1-ubyte", idx(0x801, {30}, std::string(29, '\0') + '\3'));
  EXPECT_THAT(refusal(),
              HasSubstr("train-labels-idx1-ubyte: label 3 of picture 29 found, at most 2"));
  put("train-labels-idx1-ubyte", labels(29));
  EXPECT_THAT(refusal(), HasSubstr("29 labels found, 30 expected"));
}

// 256 is no byte: compared as one it would be 0.
TEST_F(Idx, EveryByteMayBeALabel) {
  std::string unlike = pictures(512);  // counting up, each byte would come again after 256
  for (uint32_t n = 256; n < 512; ++n)
    unlike[16 + 9 * n] = static_cast<char>(unlike[16 + 9 * n] + 1);
  put("train-images-idx3-ubyte", unlike);
  put("train-labels-idx1-ubyte", labels(512, 256));
  put("t10k-images-idx3-ubyte", pictures(256));
  put("t10k-labels-idx1-ubyte", labels(256, 256));
  const at::Tensor all = at::arange(256);
  EXPECT_TRUE(at::equal(load(256)->labels(Split::test, all), all));
  EXPECT_THAT(error_of([&] { load(255); }),
              HasSubstr("train-labels-idx1-ubyte: label 255 of picture 255 found, at most 254"));
}

TEST_F(Idx, ShapesAreChecked) {
  put("t10k-images-idx3-ubyte", pictures(6, 2, 3));
  EXPECT_THAT(refusal(), HasSubstr("pictures of 2x3 pixels found, square ones expected"));
  put("t10k-images-idx3-ubyte", pictures(6, 2, 2));
  EXPECT_THAT(refusal(), HasSubstr("test pictures of 2 pixels a side found, 3 expected"));
}

TEST_F(Idx, WithoutAnyPixelItIsNoData) {
  put("train-images-idx3-ubyte", pictures(30, 0, 0));
  EXPECT_THAT(refusal(), HasSubstr("train-images-idx3-ubyte: 30 pictures of 0x0 pixels found"));
}

// Also where the sizes of its pictures are beyond all reckoning: 0 of them take no bytes.
TEST_F(Idx, AFileOfNoPicturesIsNamed) {
  for (const std::string name : {"t10k", "train"}) {
    put(name + "-labels-idx1-ubyte", labels(0));
    for (const uint32_t side : {3U, 0U, 0xFFFFFFFFU}) {
      put(name + "-images-idx3-ubyte", idx(0x803, {0, side, side}, ""));
      EXPECT_THAT(refusal(),
                  HasSubstr(name + "-images-idx3-ubyte: nothing found, at least one picture"))
          << side;
    }
  }
}

TEST_F(Idx, OneLabelIsNoClassification) {
  put("train-labels-idx1-ubyte", idx(0x801, {30}, std::string(30, '\2')));
  EXPECT_THAT(refusal(), HasSubstr("one class only (2) in training"));
}

TEST_F(Idx, MissingFilesAreNamed) {
  std::filesystem::remove(folder_.path() / "t10k-labels-idx1-ubyte");
  EXPECT_THAT(refusal(), HasSubstr("neither t10k-labels-idx1-ubyte nor t10k-labels-idx1-ubyte.gz"));
  EXPECT_THAT(error_of([] { image_dataset("idx"); }), HasSubstr("path= is missing"));
}

}  // namespace
}  // namespace relbias::modalities
