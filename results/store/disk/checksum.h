// SPDX-License-Identifier: Apache-2.0
// results/store/disk: the checksum at the end of a file. HDF5 takes damaged data for data, and
// HDF5 1.10 crashes on some damaged headers; so files are checked before HDF5 sees them.
#pragma once

#include <vector>

namespace relbias::results {

/// Appends "relbias:" and the 64-bit FNV-1a hash of all bytes before it, in 16 hex digits. Readers
/// of HDF5 stop at the end of the HDF5 file proper and don't see it.
void append_checksum(std::vector<char>& bytes);

/// Throws StoreError if there is a checksum, or its beginning, and the bytes don't match it. Other
/// tools that write to the file remove it; then there is nothing to check.
void verify_checksum(const std::vector<char>& bytes);

}  // namespace relbias::results
