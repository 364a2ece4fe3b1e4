// SPDX-License-Identifier: Apache-2.0
// modalities/image/formats: from the bytes of a file to upright samples, one source file a format.
#pragma once

#include <opencv2/core/mat.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relbias::modalities {

/// A picture as a viewer shows it.
struct DecodedPicture {
  cv::Mat samples{};                 // [height, width], grey or blue green red; float32 from 0 to 1
  std::string fault{};               // why there are no samples
  bool deep = false;                 // 8 bits do not hold them
  std::vector<std::string> notes{};  // what a report counts: `of 16 bits`
};

/// Decodes PNG, JPEG, BMP, TIFF, WebP or PNM, told by their first bytes, under the policies of
/// read_picture. Other formats, and what of these is not read as it is meant, have a fault.
DecodedPicture decode_picture(std::string_view bytes);

/// More pixels than these are refused before room is made for them.
inline constexpr int64_t most_pixels = int64_t{1} << 28;

/// What a file says beside its pixels, and the decoder does not apply.
struct Markings {
  std::string fault{};               // why the decoder is not asked
  int orientation = 1;               // as EXIF numbers them: 1 upright, 6 a quarter clockwise
  std::optional<int> transparent{};  // the one grey level that is transparent, of a PNG
  int levels = 255;                  // on the scale from 0 to this
  std::vector<std::string> notes{};
};
Markings jpeg_markings(std::string_view bytes);
Markings png_markings(std::string_view bytes);
Markings webp_markings(std::string_view bytes);
Markings bmp_markings(std::string_view bytes);

/// By OpenCV, then turned and laid over black as the markings say.
DecodedPicture decode_marked(std::string_view bytes, const Markings& markings, bool is_jpeg);
/// By libtiff, whose errors OpenCV keeps to itself: damaged parts would be black.
DecodedPicture decode_tiff(std::string_view bytes);
/// By ourselves: OpenCV takes binary samples for 8 or 16 bits whatever their largest value is.
DecodedPicture decode_netpbm(std::string_view bytes);

/// The orientation that a block of EXIF has, 1 where it has none; a note where it cannot be read.
void read_exif(std::string_view block, Markings& markings);
/// A note on a colour profile, unless it is that of sRGB, which pixels are taken for.
void note_profile(std::string_view profile, std::vector<std::string>& notes);

/// The picture as an orientation says that it is to be shown.
cv::Mat turned(const cv::Mat& picture, int orientation);
/// Without the fourth channel, by which the others are multiplied unless that was done.
cv::Mat over_black(const cv::Mat& picture, bool multiplied = false);

/// Calls visit(marker, segment) for the segments of a JPEG up to its end; false: it has none.
template <class Visit>
bool visit_jpeg(std::string_view bytes, Visit&& visit) {
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
      const auto length = static_cast<size_t>(byte(at + 2) * 256 + byte(at + 3));
      if (length > 2) visit(marker, bytes.substr(at + 4, length - 2));
      at += 2 + length;
    }
  }
  return false;
}

}  // namespace relbias::modalities
