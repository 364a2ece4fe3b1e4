// SPDX-License-Identifier: Apache-2.0
// results/store/disk: the checksum at the end of a file.
#include "results/store/disk/checksum.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "results/record.h"

namespace relbias::results {
namespace {

constexpr std::string_view mark = "relbias:";
constexpr size_t seal_size = mark.size() + 16;

std::string seal_of(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  return fmt::format("{}{:016x}", mark, hash);
}

}  // namespace

void append_checksum(std::vector<char>& bytes) {
  const std::string end = seal_of({bytes.data(), bytes.size()});
  bytes.insert(bytes.end(), end.begin(), end.end());
}

void verify_checksum(const std::vector<char>& bytes) {
  if (bytes.size() < seal_size) return;
  const std::string_view all(bytes.data(), bytes.size());
  const std::string_view found = all.substr(all.size() - seal_size);
  if (found.find(mark, 1) != found.npos) {
    throw StoreError("damaged: the checksum at its end is cut short");
  }
  if (!found.starts_with(mark)) return;
  if (found != seal_of(all.substr(0, all.size() - seal_size))) {
    throw StoreError("damaged: its bytes don't match the checksum at its end");
  }
}

}  // namespace relbias::results
