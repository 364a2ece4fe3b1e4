// SPDX-License-Identifier: Apache-2.0
// modalities/image: dataset `digits`, 5000 handwritten digits that come with OpenCV's manual.
#include <ATen/ATen.h>

#include <limits>
#include <opencv2/imgcodecs.hpp>

#include "modalities/image/image.h"
#include "modalities/plain/files.h"

namespace relbias::modalities {
namespace {

constexpr std::string_view published_hash = "8f60c927cabe9b27e0431df6ec9d1cba5cc66106";
constexpr int64_t cell = 20, rows = 50, columns = 100, rows_a_digit = 5;

cv::Mat decoded(const std::string& bytes) {
  if (bytes.empty() || bytes.size() > std::numeric_limits<int>::max()) return {};
  const cv::Mat raw(1, static_cast<int>(bytes.size()), CV_8U, const_cast<char*>(bytes.data()));
  try {
    return cv::imdecode(raw, cv::IMREAD_GRAYSCALE);
  } catch (const cv::Exception&) {  // a header that lies about the size
    return {};
  }
}

// One picture of 50 rows and 100 columns of cells; five rows hold a digit, from 0 to 9.
Pictures cut_into_cells(const std::string& path, const std::string& bytes) {
  const cv::Mat sheet = decoded(bytes);
  if (sheet.empty()) input_error("dataset digits: {} is no picture that can be read", path);
  if (sheet.rows != rows * cell || sheet.cols != columns * cell) {
    input_error("dataset digits: {} is a picture of {}x{} pixels, {}x{} expected", path, sheet.cols,
                sheet.rows, columns * cell, rows * cell);
  }
  Pictures digits;
  digits.pixels = at::from_blob(sheet.data, {rows, cell, columns, cell}, at::kByte)
                      .permute({0, 2, 1, 3})
                      .reshape({rows * columns, 1, cell, cell})
                      .clone();
  digits.labels = at::arange(rows).div(rows_a_digit, "floor").repeat_interleave(columns);
  return digits;
}

std::unique_ptr<Dataset> make(const Options& options) {
  std::filesystem::path path = options.word("path");
  if (path.empty()) path = data_folder() / "opencv-doc" / "digits.png";
  if (!std::filesystem::exists(path)) {
    input_error("dataset digits: no file {}: run experiments/setup, or name OpenCV's by path=",
                path.string());
  }
  const std::vector<File> files = {{"digits.png", read_file(path)}};
  ImageSource source;
  source.content_hash = content_hash(files);
  source.origin = fmt::format("digits: {}", source.content_hash == published_hash
                                                ? "as in opencv-doc 4.6.0"
                                                : "content differs from opencv-doc 4.6.0");
  source.origin += ", divided by content, as its writers are unknown";
  for (int digit = 0; digit < 10; ++digit) source.classes.push_back(std::to_string(digit));
  source.splits = divided_by_class(cut_into_cells(path.string(), files.front().bytes),
                                   {.validation = 0.08, .test = 0.2});
  return std::make_unique<ImageDataset>(std::move(source));
}

}  // namespace

/// The writers are unknown, so that one may have written in several splits: within each digit a
/// hash of the pixels divides, about 3600 train, 400 validate, 1000 test. The cells hold 20x20
/// pixels of detail; a larger picture made of one has no more.
DatasetEntry dataset_digits() {
  return {
      .version = 2,
      .summary =
          "5000 grey handwritten digits of 20x20 pixels, 500 a class, derived from MNIST; "
          "from Debian's opencv-doc (Apache-2.0, BSD-3-Clause)",
      .options = {{"path", std::string(),
                   "digits.png of OpenCV's manual; empty: the one that experiments/setup "
                   "unpacked"}},
      .make = make,
  };
}

}  // namespace relbias::modalities
