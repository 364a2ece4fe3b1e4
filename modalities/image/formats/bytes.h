// SPDX-License-Identifier: Apache-2.0
// modalities/image/formats: numbers in the bytes of a file, never past its end.
#pragma once

#include <cstdint>
#include <string_view>

namespace relbias::modalities {

/// Thrown where a number lies past the end.
struct PastTheEnd {};

struct Bytes {
  std::string_view all;
  bool big_endian = false;

  uint64_t number(size_t at, size_t size) const {  // of 1 to 8 bytes
    if (at > all.size() || size > all.size() - at) throw PastTheEnd{};
    uint64_t value = 0;
    for (size_t n = 0; n < size; ++n) {
      const size_t place = big_endian ? at + n : at + size - 1 - n;
      value = value << 8 | static_cast<unsigned char>(all[place]);
    }
    return value;
  }
  std::string_view part(size_t at, size_t size) const {
    if (at > all.size() || size > all.size() - at) throw PastTheEnd{};
    return all.substr(at, size);
  }
};

}  // namespace relbias::modalities
