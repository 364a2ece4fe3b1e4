// SPDX-License-Identifier: Apache-2.0
// modalities/image: one picture read from the bytes of a file, under policies that are stated.
#include "modalities/image/picture_file.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "modalities/image/formats/formats.h"

namespace relbias::modalities {
namespace {

constexpr int most_padded = 16'384;  // a square of that side takes 3 GB

// Grey or blue green red -> grey or red green blue.
cv::Mat brought_to_colours(const cv::Mat& found, bool colour) {
  cv::Mat picture = found;
  const bool is_grey = found.channels() == 1;
  if (colour) cv::cvtColor(found, picture, is_grey ? cv::COLOR_GRAY2RGB : cv::COLOR_BGR2RGB);
  if (!colour && !is_grey) cv::cvtColor(found, picture, cv::COLOR_BGR2GRAY);
  return picture;
}

cv::Mat made_square(const cv::Mat& picture, const std::string& fit) {
  const int width = picture.cols, height = picture.rows;
  if (width == height || fit == "stretch") return picture;
  if (fit == "crop") {
    const int side = std::min(width, height);
    return picture(cv::Rect((width - side) / 2, (height - side) / 2, side, side));
  }
  const int side = std::max(width, height), above = (side - height) / 2, left = (side - width) / 2;
  cv::Mat padded;
  cv::copyMakeBorder(picture, padded, above, side - height - above, left, side - width - left,
                     cv::BORDER_CONSTANT, cv::Scalar::all(0));
  return padded;
}

cv::Mat resized(const cv::Mat& picture, int side) {
  // The axes that shrink first: a picture may be long one way and short the other.
  const cv::Size shrunk(std::min(picture.cols, side), std::min(picture.rows, side));
  cv::Mat result = picture;
  if (shrunk != result.size()) cv::resize(result, result, shrunk, 0, 0, cv::INTER_AREA);
  if (result.rows < side || result.cols < side) {
    cv::resize(result, result, {side, side}, 0, 0, cv::INTER_LINEAR);
  }
  return result;
}

at::Tensor planes_of(const cv::Mat& picture) {  // [S, S, C] -> [C, S, S]
  const cv::Mat packed = picture.isContinuous() ? picture : picture.clone();
  return at::from_blob(packed.data, {packed.rows, packed.cols, packed.channels()}, at::kFloat)
      .permute({2, 0, 1})
      .clone(at::MemoryFormat::Contiguous);
}

}  // namespace

PictureFile read_picture(std::string_view bytes, const PictureShape& shape) {
  PictureFile file;
  try {
    DecodedPicture found = decode_picture(bytes);
    const cv::Mat& samples = found.samples;
    file.fault = found.fault;
    if (!file.fault.empty()) return file;
    if (std::min(samples.rows, samples.cols) < shape.least) {
      file.fault = fmt::format("smaller than {} pixels", shape.least);
    } else if (shape.fit == "pad" && std::max(samples.rows, samples.cols) > most_padded) {
      file.fault = fmt::format("longer than {} pixels", most_padded);
    } else {
      file.deep = found.deep;
      file.notes = std::move(found.notes);
      const cv::Mat square = made_square(brought_to_colours(samples, shape.colour), shape.fit);
      const bool enlarged = std::min(square.rows, square.cols) < shape.side;
      if (enlarged) file.notes.emplace_back("enlarged (without new detail)");
      file.pixels = planes_of(resized(square, static_cast<int>(shape.side)));
    }
  } catch (const cv::Exception& error) {
    file.fault = "damaged";
  }
  return file;
}

}  // namespace relbias::modalities
