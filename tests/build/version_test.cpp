// SPDX-License-Identifier: Apache-2.0
// One version: the program, CITATION.cff and the newest part of CHANGELOG.md say the same.
#include <gmock/gmock.h>

#include <fstream>
#include <regex>
#include <string>

#include "experiments/version.h"
#include "tests/experiments/program.h"
#include "tests/source_folder.h"

namespace relbias::experiments {
namespace {

/// What the first line of `file` that `pattern` fits has in its group, "" where none fits.
std::string first_match(const std::string& file, const std::string& pattern) {
  std::ifstream lines(source_folder() + "/" + file);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, match, std::regex(pattern))) return match[1];
  }
  return "";
}

TEST(Version, IsOne) {
  EXPECT_THAT(program_version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_EQ(first_match("CITATION.cff", "^version: (.+)$"), program_version());
  EXPECT_EQ(first_match("CHANGELOG.md", "^## ([0-9.]+)"), program_version());
  const ScratchFolder folder;
  EXPECT_EQ(run_program("--version", folder).output,
            "relbias " + program_version() + " (" + git_commit() + ")\n");
}

}  // namespace
}  // namespace relbias::experiments
