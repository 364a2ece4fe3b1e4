// SPDX-License-Identifier: Apache-2.0
// Includes follow the flow of data: modalities -> encodings -> experiments -> results.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/source_folder.h"

namespace relbias::experiments {
namespace {

namespace fs = std::filesystem;

/// `text` for all below modalities/text; empty for what modalities share.
std::string modality_of(const fs::path& file) {
  static const std::set<std::string> modalities{"text", "image", "audio", "graph", "code"};
  auto folder = file.begin();
  if (folder == file.end() || *folder++ != "modalities" || folder == file.end()) return "";
  return modalities.contains(folder->string()) ? folder->string() : "";
}

/// Why a file in `room` may not include `header`, both relative to the top folder; empty if it may.
std::string fault(const fs::path& file, const std::string& header) {
  const std::string room = file.begin()->string();
  const std::string other = fs::path(header).begin()->string();
  static const std::set<std::string> rooms{"modalities", "encodings", "experiments", "results",
                                           "tests"};
  const bool is_hdf5 = header == "hdf5.h" || header == "results/store/hdf5/handles.h";
  if (is_hdf5 && file.parent_path() != "results/store/hdf5" && room != "tests") {
    return "only results/store/hdf5 talks to HDF5";
  }
  const bool is_torch = std::set<std::string>{"torch", "ATen", "c10"}.contains(other);
  if (room == "results" && is_torch) return "results does without LibTorch";
  const std::string one = modality_of(file), another = modality_of(header);
  const bool code_is_text = one == "code" && another == "text";
  if (room == "modalities" && !another.empty() && one != another && !code_is_text) {
    return one.empty() ? "what modalities share knows none of them" : one + " knows no " + another;
  }
  const bool is_plain = header.starts_with("modalities/plain/");
  if (file.string().starts_with("modalities/plain/") &&
      (is_torch || (other == room && !is_plain))) {
    return "modalities/plain knows no LibTorch and no other room";
  }
  if (is_plain && room != "tests") return "";
  if (!rooms.contains(other) || other == room || room == "tests") return "";
  if (room == "experiments" && other != "tests") return "";
  if (room == "encodings" && other == "modalities") {
    const bool at_the_front_door = fs::path(header).parent_path() == "modalities";
    return at_the_front_door ? "" : "encodings are blind to the single modality";
  }
  return room + " may not include " + other;
}

/// One line for each include under `top` that goes against the flow.
std::vector<std::string> violations(const fs::path& top) {
  static const std::regex include(R"(^\s*#\s*include\s*["<]([^">]+)[">])");
  static const std::set<std::string> sources{".cpp", ".h", ".cu", ".cuh"};
  std::vector<std::string> found;
  for (const char* room : {"modalities", "encodings", "experiments", "results"}) {
    if (!fs::exists(top / room)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(top / room)) {
      if (!sources.contains(entry.path().extension().string())) continue;
      const fs::path file = fs::relative(entry.path(), top);
      std::ifstream lines(entry.path());
      std::smatch match;
      for (std::string line; std::getline(lines, line);) {
        if (!std::regex_search(line, match, include)) continue;
        const std::string why = fault(file, match[1]);
        if (!why.empty()) {
          found.push_back(file.string() + " includes " + match[1].str() + ": " + why);
        }
      }
    }
  }
  return found;
}

TEST(IncludeDirection, FollowsTheFlowOfData) {
  ASSERT_TRUE(fs::exists(fs::path(source_folder()) / "modalities/relation.h"));
  EXPECT_EQ(violations(source_folder()), std::vector<std::string>{});
}

class PlantedInclude : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(PlantedInclude, IsFound) {
  const auto& [file, line] = GetParam();
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const fs::path top = fs::path(testing::TempDir()) / (std::string("include_") + test->name());
  fs::create_directories((top / file).parent_path());
  std::ofstream(top / file) << "// first line\n" << line << "\n";
  EXPECT_EQ(violations(top).size(), 1U);
  fs::remove_all(top);
}

INSTANTIATE_TEST_SUITE_P(
    EachRule, PlantedInclude,
    testing::Values(std::pair("modalities/a.h", "#include \"encodings/encoding.h\""),
                    std::pair("modalities/text/a.cpp", "#include \"results/store/store.h\""),
                    std::pair("encodings/a.cpp", "#include \"experiments/config/config.h\""),
                    std::pair("encodings/a.cpp", "#include \"modalities/text/text.h\""),
                    std::pair("results/a.cpp", "#  include \"modalities/relation.h\""),
                    std::pair("modalities/text/a.cpp", "#include \"modalities/image/image.h\""),
                    std::pair("modalities/text/tasks/a.h", "#include \"modalities/code/code.h\""),
                    std::pair("modalities/maps/a.h", "#include \"modalities/text/text.h\""),
                    std::pair("modalities/a.h", "#include \"modalities/text/text.h\""),
                    std::pair("results/print/a.cpp", "#include \"modalities/maps/line_map.h\""),
                    std::pair("results/a.cpp", "#include <torch/types.h>"),
                    std::pair("modalities/plain/a.cpp", "#include <c10/util/Exception.h>"),
                    std::pair("modalities/plain/a.h", "#include \"modalities/seed.h\""),
                    std::pair("results/report/a.h", "#include \"experiments/config/config.h\""),
                    std::pair("results/print/table.cpp", "#include <hdf5.h>"),
                    std::pair("experiments/a.cpp", "#include \"tests/build/a.h\"")));

}  // namespace
}  // namespace relbias::experiments
