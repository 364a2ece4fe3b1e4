// SPDX-License-Identifier: Apache-2.0
// results/store/disk: the checksum at the end of a file. HDF5 takes damaged data for data, and
// HDF5 1.10 crashes on some damaged headers; so files are checked before HDF5 sees them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace relbias::results {

/// The 64-bit FNV-1a hash of bytes that come piece by piece.
class Checksum {
 public:
  void add(std::span<const char> bytes) {
    for (const char byte : bytes) hash_ = (hash_ ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  }
  /// In 16 hex digits.
  std::string text() const;

 private:
  uint64_t hash_ = 0xcbf29ce484222325;
};

/// Appends "relbias:" and the 64-bit FNV-1a hash of all bytes before it, in 16 hex digits. Readers
/// of HDF5 stop at the end of the HDF5 file proper and don't see it.
void append_checksum(std::vector<char>& bytes);

/// Throws StoreError if there is a checksum, or its beginning, and the bytes don't match it. Other
/// tools that write to the file remove it; then there is nothing to check.
void verify_checksum(const std::vector<char>& bytes);

}  // namespace relbias::results
