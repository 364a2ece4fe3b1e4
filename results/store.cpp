// SPDX-License-Identifier: Apache-2.0
// results: run records to HDF5 files and back.
#include "results/store.h"

#include <fmt/format.h>

#include <string_view>

#include "results/image.h"
#include "results/run_contents.h"

namespace relbias {
namespace {

// After the HDF5 file come "relbias:" and the FNV-1a hash of all before it, in 16 hex digits. HDF5
// doesn't read past its own end, does not notice damaged data, and crashes on some damaged headers.
// A tool that writes to the file removes the seal, and then there is nothing to check.
constexpr std::string_view seal_mark = "relbias:";
constexpr size_t seal_size = seal_mark.size() + 16;

std::string seal_of(std::string_view image) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : image) hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  return fmt::format("{}{:016x}", seal_mark, hash);
}

void check_seal(const std::vector<char>& bytes) {
  if (bytes.size() < seal_size) return;
  const std::string_view all(bytes.data(), bytes.size());
  const std::string_view found = all.substr(all.size() - seal_size);
  if (!found.starts_with(seal_mark)) return;
  if (found != seal_of(all.substr(0, all.size() - seal_size))) {
    throw StoreError("damaged: its bytes don't match the checksum at its end");
  }
}

}  // namespace

void write_run(const std::filesystem::path& file, const RunRecord& run) {
  std::vector<char> image;
  try {
    image = image_of(contents_of(run));
    const std::string seal = seal_of({image.data(), image.size()});
    image.insert(image.end(), seal.begin(), seal.end());
  } catch (const StoreError& error) {
    throw StoreError(fmt::format("{}: cannot store the run: {}", file.string(), error.what()));
  }
  replace_file(file, image);
}

RunRecord read_run(const std::filesystem::path& file, RunParts parts) {
  const std::vector<char> image = file_bytes(file);
  try {
    check_seal(image);
    return record_of(contents_in(
        image, {check_schema, parts == RunParts::all ? is_part_of_run : is_number_of_run}));
  } catch (const StoreError& error) {
    throw StoreError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

RunsRead read_runs(const std::filesystem::path& folder, RunParts parts) {
  RunsRead read;
  for (const std::filesystem::path& file : find_runs(folder)) {
    try {
      read.runs.push_back(read_run(file, parts));
    } catch (const StoreError& error) {
      read.problems.emplace_back(error.what());
    }
  }
  if (read.runs.empty()) {
    throw StoreError(fmt::format("{}: none of its {} files is a readable run; the first: {}",
                                 folder.string(), read.problems.size(), read.problems.front()));
  }
  return read;
}

}  // namespace relbias
