// SPDX-License-Identifier: Apache-2.0
// modalities/image/formats: what the segments of a JPEG say.
#include "modalities/image/formats/formats.h"

namespace relbias::modalities {

Markings jpeg_markings(std::string_view bytes) {
  using namespace std::string_view_literals;
  Markings markings;
  bool exif = false, profile = false, adobe = false;
  int components = 0;
  const bool whole = visit_jpeg(bytes, [&](unsigned char marker, std::string_view segment) {
    if (marker == 0xE1 && segment.starts_with("Exif\0\0"sv) && !exif) {
      exif = true;
      read_exif(segment, markings);
    } else if (marker == 0xE2 && segment.starts_with("ICC_PROFILE\0"sv) && !profile) {
      profile = true;
      note_profile(segment, markings.notes);
    } else if (marker == 0xEE && segment.starts_with("Adobe")) {
      adobe = true;
    } else if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 &&
               marker != 0xCC && segment.size() > 5) {
      components = static_cast<unsigned char>(segment[5]);  // of the frame
    }
  });
  if (!whole) markings.fault = "cut short";
  if (components == 4) {
    // Adobe stores ink inverted, and only its mark tells who wrote a file.
    if (!adobe && whole) markings.fault = "CMYK without Adobe's mark";
    markings.notes.emplace_back("of CMYK colours, converted without a profile");
  }
  return markings;
}

}  // namespace relbias::modalities
