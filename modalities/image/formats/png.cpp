// SPDX-License-Identifier: Apache-2.0
// modalities/image/formats: what the chunks of a PNG say.
#include <cstdlib>

#include "modalities/image/formats/bytes.h"
#include "modalities/image/formats/formats.h"

namespace relbias::modalities {
namespace {

constexpr int usual_gamma = 45455;  // 1/2.2, in units of 1/100,000: as sRGB has it, nearly

struct Header {
  int depth = 8, colour = 0, gamma = usual_gamma;
  bool standard = false;  // sRGB, or a profile, which go before gamma
};

void read_chunk(std::string_view kind, std::string_view content, Header& header,
                Markings& markings) {
  const Bytes bytes{content, true};
  if (kind == "IHDR") {
    header.depth = static_cast<int>(bytes.number(8, 1));
    header.colour = static_cast<int>(bytes.number(9, 1));
  } else if (kind == "tRNS" && header.colour == 0 && header.depth >= 1 && header.depth <= 16) {
    markings.levels = (1 << header.depth) - 1;
    markings.transparent = static_cast<int>(bytes.number(0, 2)) & markings.levels;
  } else if (kind == "eXIf") {
    read_exif(content, markings);
  } else if (kind == "iCCP") {
    header.standard = true;
    note_profile(content, markings.notes);  // packed, but behind its name
  } else if (kind == "sRGB") {
    header.standard = true;
  } else if (kind == "gAMA") {
    header.gamma = static_cast<int>(bytes.number(0, 4));
  } else if (kind == "acTL") {
    markings.notes.emplace_back("animated, the first picture read");
  }
}

}  // namespace

Markings png_markings(std::string_view all) {
  Markings markings;
  Header header;
  const Bytes bytes{all, true};
  try {
    for (size_t at = 8;;) {
      const size_t length = bytes.number(at, 4);
      const std::string_view kind = bytes.part(at + 4, 4);
      if (kind == "IEND") break;
      read_chunk(kind, bytes.part(at + 8, length), header, markings);
      at += 12 + length;  // with the sum that checks it
    }
  } catch (const PastTheEnd&) {
    markings.fault = "cut short";
  }
  if (!header.standard && std::abs(header.gamma - usual_gamma) > 1000) {
    markings.notes.emplace_back("with a gamma, which is not applied");
  }
  return markings;
}

}  // namespace relbias::modalities
