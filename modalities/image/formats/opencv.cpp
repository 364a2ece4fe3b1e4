// SPDX-License-Identifier: Apache-2.0
// modalities/image/formats: decoding by OpenCV, and what its decoders say on standard error.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <mutex>
#include <opencv2/imgcodecs.hpp>
#include <system_error>

#include "modalities/image/formats/formats.h"

namespace relbias::modalities {
namespace {

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

struct Found {
  cv::Mat picture{};
  std::string fault{};
};

// Unchanged: with transparency, and not turned.
Found found_by_opencv(std::string_view bytes, bool is_jpeg) {
  const ErrorOutput output;
  Found found;
  try {
    const cv::Mat raw(1, static_cast<int>(bytes.size()), CV_8U, const_cast<char*>(bytes.data()));
    found.picture = cv::imdecode(raw, cv::IMREAD_UNCHANGED);
  } catch (const cv::Exception&) {
    found.fault = "damaged";
  }
  if (found.picture.empty() || (is_jpeg && is_complaint(output.text()))) found.fault = "damaged";
  return found;
}

// Black where a grey picture has the level that is transparent.
cv::Mat without_level(const cv::Mat& picture, int level, int levels) {
  const int most = picture.depth() == CV_16U ? 65535 : 255;
  cv::Mat result = picture.clone();
  result.setTo(0, picture == level * (most / levels));
  return result;
}

}  // namespace

DecodedPicture decode_marked(std::string_view bytes, const Markings& markings, bool is_jpeg) {
  if (!markings.fault.empty()) return {.fault = markings.fault};
  if (bytes.size() > std::numeric_limits<int>::max()) return {.fault = "larger than 2 GB"};
  const auto [found, fault] = found_by_opencv(bytes, is_jpeg);
  if (!fault.empty()) return {.fault = fault};
  if (found.depth() != CV_8U && found.depth() != CV_16U) return {.fault = "neither 8 nor 16 bits"};
  if (found.channels() == 2) return {.fault = "2 channels"};
  DecodedPicture picture{.deep = found.depth() == CV_16U, .notes = markings.notes};
  cv::Mat samples = found;
  if (markings.transparent && found.channels() == 1) {
    samples = without_level(samples, *markings.transparent, markings.levels);
  }
  samples.convertTo(samples, CV_32F, picture.deep ? 1.0 / 65535 : 1.0 / 255);
  if (samples.channels() == 4) samples = over_black(samples);
  if (picture.deep) picture.notes.emplace_back("of 16 bits");
  picture.samples = turned(samples, markings.orientation);
  return picture;
}

}  // namespace relbias::modalities
