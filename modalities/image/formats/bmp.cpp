// SPDX-License-Identifier: Apache-2.0
// modalities/image/formats: which BMP files OpenCV reads as they are meant.
#include "modalities/image/formats/bytes.h"
#include "modalities/image/formats/formats.h"

namespace relbias::modalities {
namespace {

// Whether each colour has a byte of its own.
bool has_whole_bytes(const Bytes& bytes, size_t masks) {
  for (size_t colour = 0; colour < 3; ++colour) {
    const uint64_t mask = bytes.number(masks + 4 * colour, 4);
    if (mask != 0xFF && mask != 0xFF00 && mask != 0xFF0000 && mask != 0xFF000000) return false;
  }
  return true;
}

}  // namespace

Markings bmp_markings(std::string_view all) {
  Markings markings;
  const Bytes bytes{all};
  try {
    const uint64_t header = bytes.number(14, 4);
    if (header < 40) return markings;  // of OS/2: 24 bits, or colours by number
    const uint64_t bits = bytes.number(28, 2), packing = bytes.number(30, 4);
    constexpr uint64_t by_masks = 3;
    // OpenCV makes 248 of the 31 that is white.
    if (bits == 16) markings.fault = "BMP of 16 bits a pixel";
    if (bits == 32 && packing == by_masks && !has_whole_bytes(bytes, 54)) {
      markings.fault = "BMP with colours that are not bytes";
    }
    const uint64_t colours = header >= 124 ? bytes.number(70, 4) : 0;
    if (colours == 0x4D424544 || colours == 0x4C494E4B) {  // 'MBED', 'LINK'
      markings.notes.emplace_back("with a colour profile, which is not applied");
    }
  } catch (const PastTheEnd&) {
    markings.fault = "cut short";
  }
  return markings;
}

}  // namespace relbias::modalities
