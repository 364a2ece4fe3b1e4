// SPDX-License-Identifier: Apache-2.0
// experiments/published: the published tables of this folder, by name.
#include "experiments/published/tables.h"

#include <algorithm>
#include <filesystem>

#include "experiments/study/shipped.h"
#include "modalities/plain/check.h"
#include "modalities/plain/files.h"

namespace relbias::experiments {

std::vector<std::string> published_names() {
  const std::filesystem::path folder = shipped_folder("published");
  std::vector<std::string> names;
  for (const std::filesystem::path& file : shipped_files("published")) {
    if (file.parent_path() == folder) names.push_back(file.stem());
  }
  return names;
}

Published read_published(const std::string& name) {
  const std::vector<std::string> names = published_names();
  if (std::ranges::find(names, name) == names.end()) unknown_word("published table", name, names);
  return parse_published(read_file(shipped_folder("published") / (name + ".toml")), name);
}

}  // namespace relbias::experiments
