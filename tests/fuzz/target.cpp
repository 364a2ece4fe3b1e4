// SPDX-License-Identifier: Apache-2.0
// tests/fuzz: files of a folder from the bytes of one input.
#include "tests/fuzz/target.h"

#include <cctype>

#include "modalities/modality.h"
#include "results/record.h"
#include "tests/scratch_folder.h"

namespace relbias::tests {
namespace {

// A name that stays in its folder.
bool is_name(std::string_view name) {
  if (name.empty() || name.size() > 60 || std::isalpha(static_cast<unsigned char>(name[0])) == 0 ||
      name.find("..") != name.npos || name.find("//") != name.npos || name.back() == '/') {
    return false;
  }
  for (const unsigned char c : name) {
    if (std::isalnum(c) == 0 && std::string_view("-_./").find(static_cast<char>(c)) == name.npos) {
      return false;
    }
  }
  return true;
}

void write_files(const ScratchFolder& folder, std::string_view bytes) {
  constexpr std::string_view mark = "=== ";
  while (bytes.starts_with(mark)) {
    const size_t end = bytes.find('\n');
    if (end == bytes.npos) return;
    const std::string name(bytes.substr(mark.size(), end - mark.size()));
    bytes.remove_prefix(end + 1);
    const size_t next = bytes.find("\n=== ");
    const std::string_view content = bytes.substr(0, next);
    std::error_code error;
    if (is_name(name) && !std::filesystem::exists(folder.path() / name, error) && !error) {
      std::filesystem::create_directories((folder.path() / name).parent_path(), error);
      if (!error) std::ofstream(folder.path() / name, std::ios::binary) << content;
    }
    if (next == bytes.npos) return;
    bytes.remove_prefix(next + 1);
  }
}

}  // namespace

void refusing(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError&) {
  } catch (const StoreError&) {
  }
}

void read_dataset(std::string_view bytes, std::string options) {
  const ScratchFolder folder;
  write_files(folder, bytes);
  const size_t at = options.find("FOLDER");
  options.replace(at, 6, '"' + folder.path().string() + '"');
  refusing([&] {
    const auto& entry = find_entry("dataset", option_name(options), dataset_entries());
    entry.make(parse_options("dataset", options, entry.options));
  });
}

}  // namespace relbias::tests
