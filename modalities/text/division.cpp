// SPDX-License-Identifier: Apache-2.0
// modalities/text: dividing one text by bytes, or several by file.
#include "modalities/text/division.h"

#include <algorithm>

#include "modalities/sampling/division.h"

namespace relbias::modalities {
namespace {

constexpr size_t enwik8_bytes = 100'000'000;  // text8 has as many

// The first place from `offset` on where a character begins.
size_t character_start(const std::string& bytes, size_t offset) {
  while (offset < bytes.size() && (static_cast<unsigned char>(bytes[offset]) & 0xC0) == 0x80) {
    ++offset;
  }
  return offset;
}

}  // namespace

std::string cut_by_bytes(File file, TextSplits& splits) {
  const std::string& bytes = file.bytes;
  const bool enwik8 = bytes.size() == enwik8_bytes;
  const size_t first = enwik8 ? 90'000'000 : character_start(bytes, bytes.size() * 8 / 10);
  const size_t second = enwik8 ? 95'000'000 : character_start(bytes, bytes.size() * 9 / 10);
  splits[0] = {{file.name, bytes.substr(0, first)}};
  splits[1] = {{file.name, bytes.substr(first, second - first)}};
  splits[2] = {{file.name, bytes.substr(second)}};
  return enwik8 ? "enwik8 layout, cut after 90 and 95 MB" : "cut by bytes, 80 10 10 %";
}

std::string divide_by_file(std::vector<File> files, TextSplits& splits) {
  TORCH_INTERNAL_ASSERT(files.size() >= 3, files.size(), " files for three splits");
  std::vector<std::string> contents;
  for (const File& file : files) contents.push_back(file.bytes);
  const Division division = divided(contents, {}, "each file's content");
  for (size_t n = 0; n < files.size(); ++n) {
    splits[static_cast<size_t>(division.splits[n])].push_back(std::move(files[n]));
  }
  for (auto& split : splits) {
    std::sort(split.begin(), split.end(),
              [](const File& a, const File& b) { return a.name < b.name; });
  }
  return division.text;
}

}  // namespace relbias::modalities
