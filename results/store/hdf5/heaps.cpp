// SPDX-License-Identifier: Apache-2.0
// results/store/hdf5: heaps of texts (HDF5 File Format Specification 2.0, III.E, global heap).
#include "results/store/hdf5/heaps.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <optional>
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

// The length of the single text that an attribute has in a heap, where the type of such an
// attribute begins at `at`: the type, its characters' (numbers of 8 bits or letters), an extent of
// no dimensions, the length. Nothing where no such type is there.
std::optional<uint32_t> text_length(std::string_view bytes, size_t at) {
  constexpr std::string_view room_for_reference("\x10\0\0\0", 4);
  constexpr std::string_view one_byte("\x01\0\0\0", 4);
  const auto part = [&](size_t from, size_t size) {
    return from < bytes.size() ? bytes.substr(from, size) : std::string_view();
  };
  const auto byte = [&](size_t from) {
    return from < bytes.size() ? static_cast<unsigned char>(bytes[from]) : 0xFFU;
  };
  const bool is_text = (byte(at + 1) & 0x0FU) == 1 && part(at + 4, 4) == room_for_reference &&
                       (byte(at + 8) & 0xE0U) == 0 && part(at + 12, 4) == one_byte;
  if (!is_text) return std::nullopt;
  size_t place = at + ((byte(at + 8) & 0x0FU) == 0 ? 20 : 16);
  if (byte(place) == 0) place += 4;  // filled up to 8 bytes
  if (byte(place + 1) != 0) return std::nullopt;
  if (byte(place) == 1)
    place += 8;
  else if (byte(place) == 2)
    place += 4;
  else
    return std::nullopt;
  if (part(place, 4).size() < 4) return std::nullopt;
  return little_endian<uint32_t>(bytes, place);
}

// HDF5 asks for as much memory as a text claims to have, before it looks for the text.
void check_lengths(std::string_view bytes) {
  constexpr char variable_length = '\x19';  // with the version
  for (size_t at = bytes.find(variable_length); at != bytes.npos;
       at = bytes.find(variable_length, at + 1)) {
    const auto length = text_length(bytes, at);
    if (length && *length > bytes.size()) {
      throw StoreError(fmt::format(
          "damaged HDF5 file: an attribute of {} bytes found, more than the file has", *length));
    }
  }
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
  check_lengths(bytes);
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
