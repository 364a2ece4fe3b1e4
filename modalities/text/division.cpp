// SPDX-License-Identifier: Apache-2.0
// modalities/text: dividing one text by bytes, or several by file.
#include "modalities/text/division.h"

#include <algorithm>

namespace relbias::modalities {
namespace {

constexpr size_t enwik8_bytes = 100'000'000;               // text8 has as many
constexpr std::array<double, 3> shares = {0.8, 0.1, 0.1};  // by Split

// The first place from `offset` on where a character begins.
size_t character_start(const std::string& bytes, size_t offset) {
  while (offset < bytes.size() && (static_cast<unsigned char>(bytes[offset]) & 0xC0) == 0x80) {
    ++offset;
  }
  return offset;
}

// Where `filled` bytes and `size` more stand lowest in proportion to the split's share.
size_t emptiest(const std::array<size_t, 3>& filled, size_t size) {
  const auto level = [&](size_t split) {
    return static_cast<double>(filled[split] + size) / shares[split];
  };
  size_t best = 0;
  for (size_t split = 1; split < 3; ++split) {
    if (level(split) < level(best)) best = split;
  }
  return best;
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
  std::vector<std::pair<std::string, File>> shuffled;
  for (File& file : files) {
    std::string key = content_hash({{file.name, ""}});
    shuffled.emplace_back(std::move(key), std::move(file));
  }
  std::sort(shuffled.begin(), shuffled.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::array<size_t, 3> filled = {};
  for (auto& [key, file] : shuffled) {
    const size_t split = emptiest(filled, file.bytes.size());
    filled[split] += file.bytes.size();
    splits[split].push_back(std::move(file));
  }
  // Few or uneven files can leave a held-out split with nothing: it takes the smallest that trains.
  for (size_t split = 1; split < 3; ++split) {
    if (!splits[split].empty()) continue;
    const auto smallest = std::min_element(
        splits[0].begin(), splits[0].end(),
        [](const File& a, const File& b) { return a.bytes.size() < b.bytes.size(); });
    splits[split].push_back(std::move(*smallest));
    splits[0].erase(smallest);
  }
  for (auto& split : splits) {
    std::sort(split.begin(), split.end(),
              [](const File& a, const File& b) { return a.name < b.name; });
  }
  return "divided by file, 80 10 10 % of the bytes";
}

}  // namespace relbias::modalities
