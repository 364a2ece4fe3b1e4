// SPDX-License-Identifier: Apache-2.0
// experiments/study: the files that come with the program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace relbias::experiments {

/// `studies` or `published`, found from where the program itself is: bin/relbias has
/// ../share/relbias, one just built share/relbias beside it. Throws InputError where it is not
/// there.
std::filesystem::path shipped_folder(const std::string& name);

/// The .toml files below such a folder, sorted.
std::vector<std::filesystem::path> shipped_files(const std::string& folder);

}  // namespace relbias::experiments
