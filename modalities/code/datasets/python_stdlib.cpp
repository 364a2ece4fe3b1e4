// SPDX-License-Identifier: Apache-2.0
// modalities/code: dataset `python-stdlib`, the functions of the system's own Python library.
#include <algorithm>
#include <sstream>

#include "modalities/code/code.h"

namespace relbias::modalities {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view published_hash = "6b92fbd148e48f03ef3b6e04b17c45070cc610ff";

// Debian's record of the files of installed packages.
constexpr const char* package_lists = "/var/lib/dpkg/info";

bool is_library_list(const std::string& name) {
  return name.starts_with("libpython3.") &&
         (name.find("-stdlib") != std::string::npos || name.find("-minimal") != std::string::npos);
}

/// The .py files that the packages libpython3.N-minimal and -stdlib put below /usr/lib: other
/// packages add modules to the same folder, which would change the data from machine to machine.
std::vector<std::string> packaged_files() {
  std::vector<std::string> paths;
  std::error_code none_there;
  for (const auto& entry : fs::directory_iterator(package_lists, none_there)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".list" || !is_library_list(name)) continue;
    std::istringstream lines(read_file(entry.path()));
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with(".py") && line.starts_with("/usr/lib/")) paths.push_back(line);
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// One library where several versions are installed: the newest.
std::string newest_folder(const std::vector<std::string>& paths) {
  const auto folder_of = [](const std::string& path) {
    return path.substr(0, path.find('/', std::string_view("/usr/lib/").size()));
  };
  std::string newest;
  for (const std::string& path : paths) {
    const std::string folder = folder_of(path);
    // python3.9 before python3.11: the longer number is the newer one.
    if (std::pair(folder.size(), folder) > std::pair(newest.size(), newest)) newest = folder;
  }
  return newest;
}

std::vector<File> read_packaged() {
  const std::vector<std::string> paths = packaged_files();
  if (paths.empty()) {
    input_error(
        "dataset python-stdlib: no package libpython3.N-stdlib is installed: run "
        "experiments/setup, or name the folder of a Python library by path=");
  }
  const std::string folder = newest_folder(paths) + "/";
  std::vector<File> files;
  for (const std::string& path : paths) {
    if (!path.starts_with(folder)) continue;
    files.push_back({path.substr(folder.size()), read_file(path)});
  }
  return files;
}

std::unique_ptr<Dataset> make(const Options& options) {
  const fs::path folder = options.word("path");
  std::vector<File> files;
  if (folder.empty()) {
    files = read_packaged();
  } else {
    for (const std::string& name : files_below(folder, {"py"})) {
      files.push_back({name, read_file(folder / name)});
    }
  }
  CodeSource source;
  source.origin = "python-stdlib";
  source.language = &language_named("python");
  const TextSplits splits = divided_sources(source, std::move(files));
  source.origin += source.content_hash == published_hash
                       ? ", content as in 3.11.2-6+deb12u6"
                       : ", content differs from 3.11.2-6+deb12u6";
  read_functions(source, splits, options.integer("limit"));
  return std::make_unique<CodeDataset>(std::move(source));
}

}  // namespace

DatasetEntry dataset_python_stdlib() {
  return {
      .version = 2,
      .summary =
          "outermost functions of the system's Python library, 545 files, 10.4 MB, divided by "
          "file; PSF licence",
      .options = {{"path", std::string(),
                   "folder of the library; empty: what Debian's libpython3.N packages installed"},
                  limit_option()},
      .make = make,
  };
}

}  // namespace relbias::modalities
