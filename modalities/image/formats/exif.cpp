// SPDX-License-Identifier: Apache-2.0
// modalities/image/formats: the one entry of EXIF that changes what a viewer shows.
#include "modalities/image/formats/bytes.h"
#include "modalities/image/formats/formats.h"

namespace relbias::modalities {
namespace {

constexpr uint64_t orientation_tag = 274;

// A TIFF header, then a directory of 12 bytes an entry: tag, type, count, value.
int orientation_of(std::string_view block) {
  const Bytes bytes{block, block.starts_with("MM")};
  if (!block.starts_with("MM") && !block.starts_with("II")) throw PastTheEnd{};
  const size_t directory = bytes.number(4, 4);
  const uint64_t entries = bytes.number(directory, 2);
  for (uint64_t entry = 0; entry < entries; ++entry) {
    const size_t at = directory + 2 + 12 * entry;
    if (bytes.number(at, 2) != orientation_tag) continue;
    const uint64_t type = bytes.number(at + 2, 2);
    const uint64_t value = bytes.number(at + 8, type == 4 ? 4 : 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;  // 0: not known
  }
  return 1;
}

bool contains(std::string_view text, std::string_view word) { return text.find(word) != text.npos; }

}  // namespace

void read_exif(std::string_view block, Markings& markings) {
  using namespace std::string_view_literals;
  if (block.starts_with("Exif\0\0"sv)) block.remove_prefix(6);
  try {
    markings.orientation = orientation_of(block);
  } catch (const PastTheEnd&) {
    markings.notes.emplace_back("with EXIF that cannot be read");
  }
}

void note_profile(std::string_view profile, std::vector<std::string>& notes) {
  using namespace std::string_view_literals;
  if (contains(profile, "sRGB") || contains(profile, "s\0R\0G\0B"sv)) return;
  notes.emplace_back("with a colour profile, which is not applied");
}

}  // namespace relbias::modalities
