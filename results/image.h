// SPDX-License-Identifier: Apache-2.0
// results: HDF5 files as bytes in memory. HDF5 itself never opens a file of ours: it cuts files
// that it may not write, reports a full disk too late and leaves half a file when killed.
// run_file.h moves bytes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "results/contents.h"

namespace relbias {

// The bytes of an HDF5 file with these contents. Texts are made valid UTF-8 (valid_utf8).
std::vector<char> image_of(const StoredContents& contents);

// What to read of an image. Both may throw StoreError to end the reading.
struct ImageReading {
  std::function<void(const StoredAttributes& root)> accept;  // called first
  std::function<bool(const std::string& path)> wants;        // for each dataset
};

// The contents of an HDF5 file; attributes of a kind that StoredAttribute cannot hold are left out.
// Throws StoreError for bytes that are no HDF5 file or a damaged one, and for datasets that are
// wanted but neither arrays of numbers nor tables.
StoredContents contents_in(const std::vector<char>& image, const ImageReading& reading);

}  // namespace relbias
