// SPDX-License-Identifier: Apache-2.0
// modalities/image/formats: which decoder a file goes to, and what is done to all pictures.
#include <opencv2/imgproc.hpp>

#include "modalities/image/formats/formats.h"

namespace relbias::modalities {
namespace {

bool is_netpbm(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6';
}

bool is_tiff(std::string_view bytes) {
  using namespace std::string_view_literals;
  return bytes.starts_with("II*\0"sv) || bytes.starts_with("MM\0*"sv) ||
         bytes.starts_with("II+\0"sv) || bytes.starts_with("MM\0+"sv);  // + where beyond 4 GB
}

}  // namespace

cv::Mat turned(const cv::Mat& picture, int orientation) {
  cv::Mat result = picture;
  if (orientation >= 5) cv::transpose(result, result);  // 5: the diagonal is the mirror
  switch (orientation) {
    case 2:
    case 6:
      cv::flip(result, result, 1);
      break;  // left and right
    case 4:
    case 8:
      cv::flip(result, result, 0);
      break;  // above and below
    case 3:
    case 7:
      cv::flip(result, result, -1);
      break;
    default:
      break;
  }
  return result;
}

cv::Mat over_black(const cv::Mat& picture, bool multiplied) {
  std::vector<cv::Mat> planes;
  cv::split(picture, planes);
  const cv::Mat share = planes.back();
  planes.pop_back();
  if (!multiplied) {
    for (cv::Mat& plane : planes) plane = plane.mul(share);
  }
  cv::Mat result;
  cv::merge(planes, result);
  return result;
}

DecodedPicture decode_picture(std::string_view bytes) {
  if (bytes.empty()) return {.fault = "empty"};
  if (is_netpbm(bytes)) return decode_netpbm(bytes);
  if (is_tiff(bytes)) return decode_tiff(bytes);
  if (bytes.starts_with("\xFF\xD8")) return decode_marked(bytes, jpeg_markings(bytes), true);
  if (bytes.starts_with("\x89PNG")) return decode_marked(bytes, png_markings(bytes), false);
  if (bytes.starts_with("BM")) return decode_marked(bytes, bmp_markings(bytes), false);
  if (bytes.starts_with("RIFF") && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP") {
    return decode_marked(bytes, webp_markings(bytes), false);
  }
  return {.fault = "not a picture of a format that is read"};
}

}  // namespace relbias::modalities
