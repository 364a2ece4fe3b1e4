// SPDX-License-Identifier: Apache-2.0
// One name, one type: two types of one name in two headers link without a word, and members of one
// then run on objects of the other.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "experiments/version.h"
#include "tests/scratch_folder.h"

namespace relbias {
namespace {

namespace fs = std::filesystem;

/// The types that a file defines for all to see, those in an unnamed namespace left out.
std::vector<std::string> types_in(const fs::path& file) {
  static const std::regex definition(R"(^(?:struct|class|enum class) ([A-Z]\w*)\b[^;]*$)");
  std::vector<std::string> types;
  std::ifstream lines(file);
  int unnamed = 0;
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    unnamed += line == "namespace {";
    unnamed -= line == "}  // namespace";
    if (unnamed == 0 && std::regex_search(line, match, definition)) types.push_back(match[1]);
  }
  return types;
}

/// `Draw: a.h b.h` for every type that two files under `top` define.
std::vector<std::string> twice_defined(const fs::path& top) {
  std::map<std::string, std::set<std::string>> files;
  for (const char* room : {"modalities", "encodings", "experiments", "results"}) {
    if (!fs::exists(top / room)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(top / room)) {
      const auto extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") continue;
      for (const auto& type : types_in(entry.path())) {
        files[type].insert(fs::relative(entry.path(), top).string());
      }
    }
  }
  std::vector<std::string> found;
  for (const auto& [type, where] : files) {
    if (where.size() < 2) continue;
    std::string line = type + ":";
    for (const auto& file : where) line += " " + file;
    found.push_back(line);
  }
  return found;
}

TEST(OneName, IsOneType) {
  ASSERT_FALSE(types_in(fs::path(source_folder()) / "modalities/relation.h").empty());
  EXPECT_EQ(twice_defined(source_folder()), std::vector<std::string>{});
}

TEST(OneName, ATwinIsFound) {
  const ScratchFolder folder;
  folder.write("modalities/a.h", "class Draw {\n};\nstruct Mine;\n");
  folder.write("results/b.h", "class Draw final : public Base {\n};\nstruct Mine {\n};\n");
  folder.write("results/c.cpp", "namespace {\nclass Draw {\n};\n}  // namespace\n");
  EXPECT_EQ(twice_defined(folder.path()),
            std::vector<std::string>{"Draw: modalities/a.h results/b.h"});
}

}  // namespace
}  // namespace relbias
