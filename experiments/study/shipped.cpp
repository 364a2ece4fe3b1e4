// SPDX-License-Identifier: Apache-2.0
// experiments/study: the files that come with the program, found from where it is.
#include "experiments/study/shipped.h"

#include "modalities/plain/check.h"
#include "modalities/plain/files.h"

namespace relbias::experiments {

namespace fs = std::filesystem;

fs::path shipped_folder(const std::string& name) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path share = fs::path("share") / "relbias" / name;
  const fs::path installed = program.parent_path() / share, built = program / share;
  for (const fs::path& folder : {built, installed}) {
    if (fs::is_directory(folder)) return fs::canonical(folder);
  }
  input_error("{}: missing, and so is {}: one of them comes with the program, is it whole?",
              installed.string(), built.string());
}

std::vector<fs::path> shipped_files(const std::string& folder) {
  const fs::path top = shipped_folder(folder);
  std::vector<fs::path> files;
  for (const std::string& file : files_below(top, {"toml"})) files.push_back(top / file);
  return files;
}

}  // namespace relbias::experiments
