// SPDX-License-Identifier: Apache-2.0
// results/store: reading and writing HDF5 files: whole images (hdf5/image.h), a checksum, and
// run_file.cpp moves the bytes.
#include "results/store/store.h"

#include <fmt/format.h>

#include "results/store/disk/checksum.h"
#include "results/store/hdf5/image.h"

namespace relbias::results {

StoredContents read_contents(const std::filesystem::path& file, const ContentsFilter& filter) {
  std::vector<char> bytes = file_bytes(file);
  try {
    verify_checksum(bytes);
    return hdf5::contents_in(bytes, filter);
  } catch (const StoreError& error) {
    throw StoreError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

void write_contents(const std::filesystem::path& file, const StoredContents& contents) {
  std::vector<char> bytes;
  try {
    bytes = hdf5::image_of(contents);
  } catch (const StoreError& error) {
    throw StoreError(fmt::format("{}: {}", file.string(), error.what()));
  }
  append_checksum(bytes);
  replace_file(file, bytes);
}

}  // namespace relbias::results
