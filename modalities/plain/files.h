// SPDX-License-Identifier: Apache-2.0
// modalities/plain: reading the files that datasets are made of, and naming their content by a
// hash.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "modalities/plain/rooms.h"

namespace relbias::plain {

struct File {
  std::string name;  // path below the folder that was read, with '/' on every system
  std::string bytes;
};

/// All bytes of a regular file. Throws InputError where it is missing, a folder, a device or
/// unreadable.
std::string read_file(const std::filesystem::path& path);

/// What gzip packed, as far as it can be unpacked; `fault` says why no further, empty if whole.
struct Unpacked {
  std::string bytes;
  std::string fault;
};
Unpacked gunzip(const std::string& packed);

/// What lies below a folder and was not read.
struct LeftOut {
  std::vector<std::string> dangling;      // links that lead nowhere
  std::vector<std::string> loops;         // links to a folder that they lie in
  std::map<std::string, int64_t> others;  // files by their extension, which is not asked for
  /// `, 2 links lead nowhere (first a/b.png)`, or ""; with `all` also `, other files: 3 .gif`.
  std::string text(bool all = false) const;
};

/// The regular files below `folder` with one of these extensions ("txt"; case does not matter), as
/// names relative to it in the byte order of those names. Links to files and folders are followed,
/// but not back to a folder that they lie in. Names that start with a dot are left out. Throws
/// InputError where a folder cannot be read.
std::vector<std::string> files_below(const std::filesystem::path& folder,
                                     const std::vector<std::string>& extensions,
                                     LeftOut* left_out = nullptr);

/// SHA-1 in 40 hex digits.
std::string sha1(const std::string& bytes);

/// SHA-1 over names and contents: what `sha1sum NAME... | sha1sum` prints for the same files.
std::string content_hash(const std::vector<File>& files);

/// Where experiments/setup unpacks data: $RELBIAS_CACHE/data, else ~/.cache/relbias/data.
std::filesystem::path data_folder();

}  // namespace relbias::plain
