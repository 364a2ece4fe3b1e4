// SPDX-License-Identifier: Apache-2.0
// modalities/image: one picture read from the bytes of a file, under policies that are stated.
#include "modalities/image/picture_file.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <mutex>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <system_error>

namespace relbias::modalities {
namespace {

constexpr int most_padded = 16'384;  // a square of that side takes 3 GB

bool is_jpeg(std::string_view bytes) { return bytes.starts_with("\xFF\xD8"); }
bool is_png(std::string_view bytes) { return bytes.starts_with("\x89PNG"); }

// The reason why a file is not even given to the decoder, or "".
std::string known_fault(std::string_view bytes) {
  if (bytes.empty()) return "empty";
  if (bytes.size() > std::numeric_limits<int>::max()) return "larger than 2 GB";
  if (is_jpeg(bytes) && !jpeg_is_whole(bytes)) return "cut short";
  if (is_png(bytes) && bytes.rfind("IEND") == std::string_view::npos) return "cut short";
  return "";
}

// Takes what libraries of C write to standard error, from here to its end.
class ErrorOutput {
 public:
  ErrorOutput() : lock_(only_one()), file_(memfd_create("stderr", MFD_CLOEXEC)) {
    before_ = dup(STDERR_FILENO);
    const bool known = before_ >= 0 || errno == EBADF;  // EBADF: the caller has closed it
    if (known && file_ >= 0 && dup2(file_, STDERR_FILENO) >= 0) return;
    close_all();
    throw std::system_error(EMFILE, std::generic_category(), "standard error");
  }
  ~ErrorOutput() {
    if (before_ < 0 || dup2(before_, STDERR_FILENO) < 0) close(STDERR_FILENO);
    close_all();
  }
  ErrorOutput(const ErrorOutput&) = delete;
  ErrorOutput& operator=(const ErrorOutput&) = delete;

  std::string text() const {
    std::string text(1 << 12, '\0');
    text.resize(
        static_cast<size_t>(std::max<ssize_t>(pread(file_, text.data(), text.size(), 0), 0)));
    return text;
  }

 private:
  void close_all() const {
    if (before_ >= 0) close(before_);
    if (file_ >= 0) close(file_);
  }
  static std::mutex& only_one() {
    static std::mutex mutex;
    return mutex;
  }

  std::lock_guard<std::mutex> lock_;
  int file_, before_ = -1;
};

// What libjpeg calls corrupt it fills up with grey or shifts, and goes on.
bool is_complaint(std::string_view text) {
  return text.find("Corrupt JPEG data") != std::string_view::npos ||
         text.find("Premature end of JPEG") != std::string_view::npos;
}

struct Decoded {
  cv::Mat picture;  // empty: none
  std::string fault;
};

cv::Mat decode(std::string_view bytes) {
  const cv::Mat raw(1, static_cast<int>(bytes.size()), CV_8U, const_cast<char*>(bytes.data()));
  // Unchanged keeps transparency and ignores the orientation, which a JPEG has and PNG has not.
  const int flags =
      is_jpeg(bytes) ? cv::IMREAD_ANYCOLOR | cv::IMREAD_ANYDEPTH : cv::IMREAD_UNCHANGED;
  return cv::imdecode(raw, flags);
}

Decoded decoded(std::string_view bytes) {
  const ErrorOutput output;
  Decoded result{.picture = decode(bytes), .fault = ""};
  const std::string said = output.text();
  if (result.picture.empty()) {
    result.fault = said.empty() ? "not a picture" : "damaged";
  } else if (is_jpeg(bytes) && is_complaint(said)) {
    result.fault = "damaged";
  }
  return result;
}

// Grey or BGR(A) of any depth -> RGB or grey, float32 from 0 to 1.
cv::Mat brought_to_colours(const cv::Mat& found, bool colour) {
  cv::Mat picture;
  found.convertTo(picture, CV_32F, found.depth() == CV_16U ? 1.0 / 65535 : 1.0 / 255);
  if (picture.channels() == 4) {
    std::vector<cv::Mat> planes;
    cv::split(picture, planes);
    for (size_t plane = 0; plane < 3; ++plane) planes[plane] = planes[plane].mul(planes[3]);
    planes.pop_back();
    cv::merge(planes, picture);
  }
  const bool is_grey = picture.channels() == 1;
  if (colour) cv::cvtColor(picture, picture, is_grey ? cv::COLOR_GRAY2RGB : cv::COLOR_BGR2RGB);
  if (!colour && !is_grey) cv::cvtColor(picture, picture, cv::COLOR_BGR2GRAY);
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

bool jpeg_is_whole(std::string_view bytes) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(bytes[at]); };
  for (size_t at = 2; at + 1 < bytes.size();) {
    const unsigned char marker = byte(at + 1);
    if (byte(at) != 0xFF) {
      ++at;  // coded pixels, which follow the segment of a scan
    } else if (marker == 0xD9) {
      return true;
    } else if (marker == 0xFF) {
      ++at;  // filling
    } else if (marker <= 0x01 || (marker >= 0xD0 && marker <= 0xD8)) {
      at += 2;  // an FF of coded pixels, or a marker without a segment
    } else {
      if (at + 3 >= bytes.size()) return false;
      at += 2 + static_cast<size_t>(byte(at + 2) * 256 + byte(at + 3));
    }
  }
  return false;
}

PictureFile read_picture(std::string_view bytes, const PictureShape& shape) {
  PictureFile file;
  file.fault = known_fault(bytes);
  if (!file.fault.empty()) return file;
  try {
    const auto [found, fault] = decoded(bytes);
    if (!fault.empty()) {
      file.fault = fault;
    } else if (found.depth() != CV_8U && found.depth() != CV_16U) {
      file.fault = "neither 8 nor 16 bits";
    } else if (found.channels() == 2) {
      file.fault = "2 channels";
    } else if (std::min(found.rows, found.cols) < shape.least) {
      file.fault = fmt::format("smaller than {} pixels", shape.least);
    } else if (shape.fit == "pad" && std::max(found.rows, found.cols) > most_padded) {
      file.fault = fmt::format("longer than {} pixels", most_padded);
    } else {
      file.deep = found.depth() == CV_16U;
      const cv::Mat square = made_square(brought_to_colours(found, shape.colour), shape.fit);
      file.enlarged = std::min(square.rows, square.cols) < shape.side;
      file.pixels = planes_of(resized(square, static_cast<int>(shape.side)));
    }
  } catch (const cv::Exception& error) {
    file.fault = "not a picture";
  }
  return file;
}

}  // namespace relbias::modalities
