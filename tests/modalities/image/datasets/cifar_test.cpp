// SPDX-License-Identifier: Apache-2.0
// tests: dataset `cifar`: records of both versions, and files that are none.
#include <gmock/gmock.h>

#include "tests/error_of.h"
#include "tests/modalities/image/pictures.h"
#include "tests/scratch_folder.h"

namespace relbias::modalities {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Planes of red, green and blue, each filled with a value.
std::string record(const std::string& labels, std::array<int, 3> colour) {
  std::string bytes = labels;
  for (const int value : colour) bytes += std::string(1024, static_cast<char>(value));
  return bytes;
}

// Copies of a picture are in one split: those of another file differ in `blue`.
std::string batch(int pictures, int blue = 3) {
  std::string bytes;
  for (int n = 0; n < pictures; ++n) {
    bytes += record(std::string(1, static_cast<char>(n % 10)), {n, 2, blue});
  }
  return bytes;
}

class Cifar : public testing::Test {
 protected:
  void write_ten() {
    for (int n = 1; n <= 5; ++n) {
      folder_.write("data_batch_" + std::to_string(n) + ".bin", batch(20, 3 + n));
    }
    folder_.write("test_batch.bin", batch(10));
  }
  std::unique_ptr<ImageDataset> load(const std::string& options = "") const {
    return image_dataset("cifar path=\"" + folder_.path().string() + "\" " + options);
  }
  std::string refusal(const std::string& options = "") const {
    return error_of([&] { load(options); });
  }

  ScratchFolder folder_;
};

TEST_F(Cifar, TenClasses) {
  write_ten();
  const auto images = load();
  EXPECT_THAT(images->report(), AllOf(HasSubstr("CIFAR-10"), HasSubstr("10 classes, 32x32 pixels"),
                                      HasSubstr("test 10")));
  EXPECT_EQ(images->count(Split::train) + images->count(Split::validation), 100);
  EXPECT_GE(images->count(Split::validation), 10);  // of each class one
  EXPECT_GE(images->count(Split::train), 70);
  const at::Tensor picture = images->pixels(Split::test, at::tensor({7}, at::kLong))[0] * 255;
  EXPECT_TRUE(at::allclose(picture.select(1, 31).select(1, 31), at::tensor({7.f, 2.f, 3.f})));
  EXPECT_EQ(images->labels(Split::test, at::tensor({7}, at::kLong)).item<int64_t>(), 7);
}

TEST_F(Cifar, HundredClassesOrTwenty) {
  std::string bytes;
  for (int n = 0; n < 200; ++n) {
    bytes += record({static_cast<char>(n % 20), static_cast<char>(n % 100)}, {n, 2, 3});
  }
  folder_.write("train.bin", bytes);
  folder_.write("test.bin", record({'\x13', '\x63'}, {1, 2, 3}));
  const at::Tensor first = at::tensor({0}, at::kLong);
  EXPECT_EQ(load()->classes().size(), 100U);
  EXPECT_EQ(load()->labels(Split::test, first).item<int64_t>(), 99);
  EXPECT_EQ(load("labels=coarse")->classes().size(), 20U);
  EXPECT_EQ(load("labels=coarse")->labels(Split::test, first).item<int64_t>(), 19);
  folder_.write("fine_label_names.txt", "apple\npear\n");
  EXPECT_THAT(refusal(), HasSubstr("fine_label_names.txt: 2 names found, 100 expected"));
}

TEST_F(Cifar, NamesAreReadWhereTheyAre) {
  write_ten();
  folder_.write("batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n\n");
  EXPECT_EQ(load()->classes()[9], "j");
}

TEST_F(Cifar, DamagedFilesAreNamed) {
  EXPECT_THAT(refusal(), HasSubstr("neither data_batch_1.bin (CIFAR-10) nor train.bin"));
  write_ten();
  EXPECT_THAT(refusal("labels=coarse"), HasSubstr("has no coarse labels"));
  folder_.write("data_batch_3.bin", batch(2).substr(0, 5000));
  EXPECT_THAT(refusal(), HasSubstr("data_batch_3.bin: 5000 bytes found, a multiple of 3073"));
  folder_.write("data_batch_3.bin", "");
  EXPECT_THAT(refusal(), HasSubstr("data_batch_3.bin: 0 bytes found"));
  folder_.write("data_batch_3.bin", batch(2) + record("\x0A", {1, 2, 3}));
  EXPECT_THAT(refusal(), HasSubstr("data_batch_3.bin: label 10 of picture 2 found, at most 9"));
  std::filesystem::remove(folder_.path() / "data_batch_3.bin");
  EXPECT_THAT(refusal(), HasSubstr("data_batch_3.bin does not exist"));
  EXPECT_THAT(error_of([] { image_dataset("cifar"); }), HasSubstr("path= is missing"));
}

}  // namespace
}  // namespace relbias::modalities
