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

namespace {

void write_over(const std::filesystem::path& file, const StoredContents& contents,
                const hdf5::Earlier& earlier) {
  std::vector<char> bytes;
  try {
    bytes = hdf5::image_of(contents, earlier);
  } catch (const StoreError& error) {
    throw StoreError(fmt::format("{}: {}", file.string(), error.what()));
  }
  append_checksum(bytes);
  replace_file(file, bytes);
}

}  // namespace

void write_contents(const std::filesystem::path& file, const StoredContents& contents) {
  write_over(file, contents, {});
}

void update_contents(const std::filesystem::path& file, const StoredContents& contents,
                     const IsOwn& is_own) {
  std::error_code missing;
  // Nothing to keep; what is there and no file is refused where files are replaced.
  if (!std::filesystem::is_regular_file(file, missing)) return write_contents(file, contents);
  hdf5::Earlier earlier{file_bytes(file), is_own};
  try {
    verify_checksum(earlier.image);
  } catch (const StoreError&) {
    earlier.image.clear();  // damaged: nothing can be taken from it
  }
  write_over(file, contents, earlier);
}

}  // namespace relbias::results
