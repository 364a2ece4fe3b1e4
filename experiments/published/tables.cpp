// SPDX-License-Identifier: Apache-2.0
// experiments/published: the published tables of this folder, by name.
#include "experiments/published/tables.h"

#include <algorithm>
#include <filesystem>

#include "experiments/version.h"
#include "modalities/plain/check.h"
#include "modalities/plain/files.h"

namespace relbias::experiments {
namespace {

std::filesystem::path published_folder() {
  return std::filesystem::path(source_folder()) / "experiments" / "published";
}

}  // namespace

std::vector<std::string> published_names() {
  std::vector<std::string> names;
  for (const auto& file : files_below(published_folder(), {"toml"})) {
    if (file.find('/') == std::string::npos) {
      names.push_back(std::filesystem::path(file).stem().string());
    }
  }
  return names;
}

Published read_published(const std::string& name) {
  const std::vector<std::string> names = published_names();
  if (std::ranges::find(names, name) == names.end()) unknown_word("published table", name, names);
  return parse_published(read_file(published_folder() / (name + ".toml")), name);
}

}  // namespace relbias::experiments
