// SPDX-License-Identifier: Apache-2.0
// results/store: the store. Runs (runs.h) and other contents in HDF5 files that are complete or
// untouched.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "results/store/contents.h"
#include "results/store/disk/run_file.h"
#include "results/store/runs.h"

namespace relbias::results {

/// What to read of a file. Either may throw StoreError; the file's name is put in front.
struct ContentsFilter {
  std::function<void(const StoredAttributes& root)> accept = [](const auto&) {};
  std::function<bool(const std::string& path)> wants = [](const auto&) { return true; };
  /// Of what is wanted by its path, once its attributes are known.
  std::function<bool(const std::string& path, const StoredAttributes&)> is_meant =
      [](const auto&, const auto&) { return true; };
  std::string unwanted_column{};  // of all tables
};

/// Any HDF5 file of numbers and tables. Attributes of another kind than StoredAttribute are left
/// out. Throws StoreError, naming the file, if it is missing, empty, cut short, damaged
/// (checksum.h), no HDF5, or if a dataset that is wanted holds something else.
StoredContents read_contents(const std::filesystem::path& file, const ContentsFilter& filter = {});

/// Complete or not at all (replace_file), with a checksum at the end (checksum.h). Text that is not
/// UTF-8 gets U+FFFD where it is broken, and for each NUL. Throws StoreError.
void write_contents(const std::filesystem::path& file, const StoredContents& contents);

/// Likewise, in place of a file to which others may have added something: attributes and objects
/// that `contents` does not have stay, unless `is_own` says that they were this program's.
using IsOwn = std::function<bool(const std::string& path, const StoredAttributes&)>;
void update_contents(const std::filesystem::path& file, const StoredContents& contents,
                     const IsOwn& is_own);

/// Of the library that runs, "1.10.8".
std::string hdf5_version();

}  // namespace relbias::results
