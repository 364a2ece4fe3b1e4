// SPDX-License-Identifier: Apache-2.0
// modalities/image/formats: what the chunks of a WebP say.
#include "modalities/image/formats/bytes.h"
#include "modalities/image/formats/formats.h"

namespace relbias::modalities {

Markings webp_markings(std::string_view all) {
  Markings markings;
  const Bytes bytes{all};
  try {
    const size_t end = 8 + bytes.number(4, 4);
    if (end > all.size()) throw PastTheEnd{};
    for (size_t at = 12; at + 8 <= end;) {
      const std::string_view kind = bytes.part(at, 4);
      const size_t length = bytes.number(at + 4, 4);
      const std::string_view content = bytes.part(at + 8, length);
      if (kind == "EXIF") read_exif(content, markings);
      if (kind == "ICCP") note_profile(content, markings.notes);
      if (kind == "ANIM") markings.fault = "animated";
      at += 8 + length + length % 2;
    }
  } catch (const PastTheEnd&) {
    markings.fault = "cut short";
  }
  return markings;
}

}  // namespace relbias::modalities
