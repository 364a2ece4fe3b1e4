// SPDX-License-Identifier: Apache-2.0
// No script ends without a word: each names the line and the command that failed.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/experiments/program.h"
#include "tests/source_folder.h"

namespace relbias::experiments {
namespace {

namespace fs = std::filesystem;

/// What a script of this name begins with.
std::string says_where(const std::string& name) {
  return "set -Eeuo pipefail\ntrap 'echo \"" + name +
         ": line $LINENO: \\\"$BASH_COMMAND\\\" ended with $?\" >&2' ERR\n";
}

/// The scripts of bash in the project, but those that go on after a failure and count them.
std::vector<fs::path> scripts() {
  std::vector<fs::path> found;
  for (const char* folder : {"experiments", "tests", ".ci"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(source_folder()) / folder)) {
      if (!entry.is_regular_file()) continue;
      std::string first;
      std::getline(std::ifstream(entry.path()) >> std::noskipws, first);
      if (first != "#!/usr/bin/env bash") continue;
      const bool counts =
          text_of_file(entry.path()).find("\nset -uo pipefail\n") != std::string::npos;
      if (!counts) found.push_back(entry.path());
    }
  }
  return found;
}

TEST(Scripts, SayWhereTheyFail) {
  EXPECT_GE(scripts().size(), 5U);
  for (const fs::path& script : scripts()) {
    const std::string text = text_of_file(script);
    const auto trap = text.find("trap 'echo \"");
    ASSERT_NE(trap, std::string::npos) << script << " has no trap for errors";
    const auto name = trap + std::string("trap 'echo \"").size();
    EXPECT_THAT(text, testing::HasSubstr(
                          "\n" + says_where(text.substr(name, text.find(": line", name) - name))))
        << script;
  }
}

TEST(Scripts, TheseTwoLinesSayIt) {
  const ScratchFolder folder;
  const std::string script = folder.write(
      "script", says_where("it") + "inner() {\n  grep -q x /dev/null\n}\necho fine\ninner\n");
  EXPECT_NE(std::system(("bash '" + script + "' 2>'" + script + ".errors' >/dev/null").c_str()), 0);
  EXPECT_THAT(text_of_file(script + ".errors"),
              testing::HasSubstr("it: line 4: \"grep -q x /dev/null\" ended with 1"));
}

}  // namespace
}  // namespace relbias::experiments
