// SPDX-License-Identifier: Apache-2.0
// At most 16 files stand flat in a folder: what is more has floors that the folder does not show.
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/scratch_folder.h"
#include "tests/source_folder.h"

namespace relbias::experiments {
namespace {

namespace fs = std::filesystem;

/// `results: 17 files` for every folder below the rooms of `top` that holds more than 16.
std::vector<std::string> crowded(const fs::path& top) {
  std::map<std::string, int> files;
  for (const char* room : {"modalities", "encodings", "experiments", "results", "tests"}) {
    if (!fs::exists(top / room)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(top / room)) {
      const std::string folder = fs::relative(entry.path().parent_path(), top);
      const bool is_kept = folder.find("__pycache__") == std::string::npos;
      if (entry.is_regular_file() && is_kept) ++files[folder];
    }
  }
  std::vector<std::string> found;
  for (const auto& [folder, count] : files) {
    if (count > 16) found.push_back(folder + ": " + std::to_string(count) + " files");
  }
  return found;
}

TEST(Folders, HoldAtMostSixteenFiles) {
  ASSERT_TRUE(fs::exists(fs::path(source_folder()) / "results"));
  EXPECT_THAT(crowded(source_folder()), testing::IsEmpty());
}

TEST(Folders, ACrowdedOneIsFound) {
  const ScratchFolder folder;
  for (int file = 0; file < 17; ++file) folder.write("results/" + std::to_string(file), "");
  for (int file = 0; file < 16; ++file) folder.write("tests/results/" + std::to_string(file), "");
  EXPECT_THAT(crowded(folder.path()), testing::ElementsAre("results: 17 files"));
}

}  // namespace
}  // namespace relbias::experiments
