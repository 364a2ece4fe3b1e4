// SPDX-License-Identifier: Apache-2.0
// tests/fuzz: reads every input of the corpora once. A crash, or anything but a refusal, is a
// failure.
#include <gtest/gtest.h>

#include <algorithm>

#include "modalities/plain/files.h"
#include "tests/fuzz/target.h"
#include "tests/source_folder.h"

namespace relbias::tests {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> inputs_of(const FuzzTarget& target) {
  std::vector<fs::path> files;
  const fs::path folder = fs::path(source_folder()) / "tests/fuzz/corpus" / target.name;
  for (const auto& file : fs::recursive_directory_iterator(folder)) {
    if (file.is_regular_file()) files.push_back(file.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class FuzzCorpus : public ::testing::TestWithParam<FuzzTarget> {};

TEST_P(FuzzCorpus, IsReadOrRefused) {
  const std::vector<fs::path> files = inputs_of(GetParam());
  EXPECT_FALSE(files.empty());
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    EXPECT_NO_THROW(GetParam().read(read_file(file)));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzCorpus, ::testing::ValuesIn(fuzz_target_entries()),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace relbias::tests
