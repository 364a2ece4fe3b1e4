// SPDX-License-Identifier: Apache-2.0
// results/claims: the studies that runs belong to.
#include "results/claims/study_text.h"

#include <algorithm>

#include "results/claims/read_claims.h"
#include "results/store/disk/run_file.h"

namespace relbias::results {
namespace {

namespace fs = std::filesystem;

// What has the name of its folder; where nothing has, as after a folder is renamed, what lies
// beside runs.
bool is_study(const fs::path& file) {
  const fs::path folder = file.parent_path();
  if (file.stem() == folder.filename()) return true;
  std::error_code error;
  if (fs::exists(folder / (folder.filename().string() + ".toml"), error)) return false;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".h5") return true;
  }
  return false;
}

}  // namespace

StudyText parse_study_text(const std::string& toml, const std::string& name) {
  const auto table = parse_toml(toml, name);
  return {.name = name,
          .question = text_in(*table, "question"),
          .expected = text_in(*table, "expected"),
          .cost = text_in(*table, "cost"),
          .claims = read_claims(*table)};
}

StudiesRead read_studies(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const fs::path& file = at->path();
    if (file.extension() == ".toml" && is_study(file)) files.push_back(file);
  }
  std::ranges::sort(files);
  StudiesRead read;
  for (const fs::path& file : files) {
    try {
      const std::vector<char> bytes = file_bytes(file);
      read.studies.push_back(
          parse_study_text(std::string(bytes.begin(), bytes.end()), file.stem().string()));
    } catch (const StoreError& problem) {
      read.problems.emplace_back(problem.what());
    } catch (const InputError& problem) {
      read.problems.emplace_back(problem.what());
    }
  }
  return read;
}

void write_study_text(const fs::path& file, const std::string& toml) {
  replace_file(file, std::span(toml.data(), toml.size()));
}

}  // namespace relbias::results
