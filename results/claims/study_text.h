// SPDX-License-Identifier: Apache-2.0
// results/claims: the studies that runs belong to, as `relbias run` keeps them beside the runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/claims/claims.h"

namespace relbias::results {

/// `<out>/<study>/<study>.toml`: what was asked, expected and claimed.
struct StudyText {
  std::string name;
  std::string question;
  std::string expected;
  std::string cost;
  std::vector<Claim> claims;
};

/// Throws InputError for what is no TOML or claims something else than an ordering. Settings are
/// not looked at.
StudyText parse_study_text(const std::string& toml, const std::string& name);

struct StudiesRead {
  std::vector<StudyText> studies;
  std::vector<std::string> problems;  // one message for each file that could not be read
};

/// Every study file under a folder; none is no error, as runs can be read without.
StudiesRead read_studies(const std::filesystem::path& folder);

/// Puts a study's text beside the runs of it. Throws StoreError.
void write_study_text(const std::filesystem::path& file, const std::string& toml);

}  // namespace relbias::results
