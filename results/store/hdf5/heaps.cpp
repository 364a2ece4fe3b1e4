// SPDX-License-Identifier: Apache-2.0
// results/store/hdf5: heaps of texts (HDF5 File Format Specification 2.0, III.E, global heap).
#include "results/store/hdf5/heaps.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "results/record.h"

namespace relbias::results::hdf5 {
namespace {

constexpr std::string_view signature("GCOL\x01\0\0\0", 8);  // with the version
constexpr size_t header = 16;                               // of a heap, and of each object in it

template <class Number>
Number little_endian(std::string_view bytes, size_t at) {
  Number number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

// One heap: objects of index, references, 4 unused bytes and a size, padded to 8; the free room at
// the end has the index 0 and counts its own header.
bool is_sound(std::string_view heap) {
  for (size_t at = header; at + header <= heap.size();) {
    const auto index = little_endian<uint16_t>(heap, at);
    const auto size = little_endian<uint64_t>(heap, at + 8);
    const size_t left = heap.size() - at;
    if (index == 0 ? size < header || size > left : size > left - header) return false;
    at += index == 0 ? size : header + (size + 7) / 8 * 8;
  }
  return true;
}

// Of the numbers that say how long something is; 8 unless its writer asked for others.
int bytes_of_lengths(std::string_view file) {
  constexpr size_t version = 8;
  const size_t at = file.size() > version && file[version] < 2 ? 14 : 10;
  return at < file.size() ? file[at] : 0;
}

}  // namespace

void check_heaps(const std::vector<char>& image) {
  const std::string_view bytes(image.data(), image.size());
  if (bytes_of_lengths(bytes) != sizeof(uint64_t)) return;
  for (size_t at = bytes.find(signature); at != bytes.npos; at = bytes.find(signature, at + 1)) {
    if (bytes.size() - at < header) return;
    const auto size = little_endian<uint64_t>(bytes, at + 8);
    // A size that the file cannot hold HDF5 finds itself.
    if (size < header || size > bytes.size() - at) continue;
    if (!is_sound(bytes.substr(at, size))) {
      throw StoreError(fmt::format("damaged HDF5 file: the heap at byte {} has no end", at));
    }
  }
}

}  // namespace relbias::results::hdf5
