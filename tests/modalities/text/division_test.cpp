// SPDX-License-Identifier: Apache-2.0
// tests: dividing text by bytes and by file.
#include "modalities/text/division.h"

#include <gmock/gmock.h>

namespace relbias::modalities {
namespace {

TextSplits cut(const std::string& bytes) {
  TextSplits splits;
  cut_by_bytes({"text", bytes}, splits);
  return splits;
}

std::string joined(const TextSplits& splits) {
  std::string all;
  for (const auto& split : splits) {
    for (const File& file : split) all += file.bytes;
  }
  return all;
}

TEST(CutByBytes, EightyTenTen) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += static_cast<char>('a' + i % 26);
  const TextSplits splits = cut(bytes);
  EXPECT_EQ(splits[0][0].bytes.size(), 800u);
  EXPECT_EQ(splits[1][0].bytes.size(), 100u);
  EXPECT_EQ(splits[2][0].bytes.size(), 100u);
  EXPECT_EQ(joined(splits), bytes);
}

TEST(CutByBytes, NeverCutsACharacter) {
  const std::string euro = "\xE2\x82\xAC", smile = "\xF0\x9F\x98\x80", e = "\xC3\xA9";
  for (size_t length = 1; length <= 60; ++length) {
    std::string bytes;
    for (size_t i = 0; i < length; ++i)
      bytes += i % 4 == 0 ? "a" : i % 4 == 1 ? euro : i % 4 == 2 ? e : smile;
    const TextSplits splits = cut(bytes);
    EXPECT_EQ(joined(splits), bytes);
    for (const auto& split : splits) EXPECT_EQ(not_text(split[0].bytes), std::nullopt) << length;
  }
}

TEST(CutByBytes, Enwik8IsCutWhereAllCutIt) {
  std::string bytes(100'000'000, 'a');
  bytes[90'000'000] = 'v';
  bytes[95'000'000] = 't';
  TextSplits splits;
  EXPECT_THAT(cut_by_bytes({"enwik8", std::move(bytes)}, splits), testing::HasSubstr("enwik8"));
  EXPECT_EQ(splits[0][0].bytes.size(), 90'000'000u);
  EXPECT_EQ(splits[1][0].bytes.size(), 5'000'000u);
  EXPECT_EQ(splits[2][0].bytes.size(), 5'000'000u);
  EXPECT_EQ(splits[1][0].bytes.front(), 'v');
  EXPECT_EQ(splits[2][0].bytes.front(), 't');
}

TEST(CutByBytes, OneByteMoreIsNoEnwik8) {
  TextSplits splits;
  EXPECT_THAT(cut_by_bytes({"large", std::string(100'000'010, 'a')}, splits),
              testing::Not(testing::HasSubstr("enwik8")));
  EXPECT_EQ(splits[0][0].bytes.size(), 80'000'008u);
}

std::vector<File> files_of_sizes(const std::vector<size_t>& sizes) {
  std::vector<File> files;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const std::string name = "file" + std::to_string(i);
    files.push_back({name, name + std::string(sizes[i], 'a')});
  }
  return files;
}

std::vector<std::string> names(const TextSplits& splits, size_t split) {
  std::vector<std::string> all;
  for (const File& file : splits[split]) all.push_back(file.name);
  return all;
}

TextSplits divide(std::vector<File> files) {
  TextSplits splits;
  divide_by_file(std::move(files), splits);
  return splits;
}

TEST(DivideByFile, EveryFileOnceAndNoSplitEmpty) {
  for (const auto& sizes : std::vector<std::vector<size_t>>{{1, 1, 1},
                                                            {100, 1, 1},
                                                            {5, 5, 5, 5},
                                                            {1000, 900, 10, 5, 1},
                                                            std::vector<size_t>(40, 7)}) {
    const TextSplits splits = divide(files_of_sizes(sizes));
    std::vector<std::string> all;
    for (size_t split = 0; split < 3; ++split) {
      EXPECT_FALSE(splits[split].empty()) << testing::PrintToString(sizes);
      for (const auto& name : names(splits, split)) all.push_back(name);
      EXPECT_TRUE(std::is_sorted(splits[split].begin(), splits[split].end(),
                                 [](const File& a, const File& b) { return a.name < b.name; }));
    }
    std::vector<std::string> expected;
    for (const File& file : files_of_sizes(sizes)) expected.push_back(file.name);
    EXPECT_THAT(all, testing::UnorderedElementsAreArray(expected));
  }
}

TEST(DivideByFile, SharesAreNearEightyTenTen) {
  const TextSplits splits = divide(files_of_sizes(std::vector<size_t>(1000, 5)));
  EXPECT_NEAR(static_cast<double>(splits[0].size()), 800, 40);
  EXPECT_NEAR(static_cast<double>(splits[1].size()), 100, 30);
  EXPECT_NEAR(static_cast<double>(splits[2].size()), 100, 30);
}

TEST(DivideByFile, OneMoreFileMovesNoOther) {
  const TextSplits before = divide(files_of_sizes(std::vector<size_t>(50, 10)));
  std::vector<File> files = files_of_sizes(std::vector<size_t>(50, 10));
  files.insert(files.begin(), {"a new one", "which is larger than all others together"});
  files.front().bytes.resize(5000, 'b');
  TextSplits after = divide(std::move(files));
  for (auto& split : after) {
    std::erase_if(split, [](const File& file) { return file.name == "a new one"; });
  }
  for (size_t split = 0; split < 3; ++split) EXPECT_EQ(names(before, split), names(after, split));
}

TEST(DivideByFile, DoesNotDependOnTheOrderOfTheFiles) {
  std::vector<File> files = files_of_sizes({30, 20, 70, 10, 50, 60, 40, 90, 80, 15, 25, 35});
  const TextSplits once = divide(files);
  std::reverse(files.begin(), files.end());
  const TextSplits again = divide(files);
  for (size_t split = 0; split < 3; ++split) EXPECT_EQ(names(once, split), names(again, split));
}

// Names in order must not mean: the first chapters train, the last are held out.
TEST(DivideByFile, HeldOutFilesAreSpreadOverTheNames) {
  const TextSplits splits = divide(files_of_sizes(std::vector<size_t>(100, 10)));
  std::vector<int> numbers;
  for (const auto& name : names(splits, 2)) numbers.push_back(std::stoi(name.substr(4)));
  ASSERT_GE(numbers.size(), 3u);
  EXPECT_GT(*std::max_element(numbers.begin(), numbers.end()) -
                *std::min_element(numbers.begin(), numbers.end()),
            30);
}

TEST(DivideByFile, TwoFilesAreOurFault) {
  EXPECT_THROW(divide(files_of_sizes({1, 1})), c10::Error);
}

}  // namespace
}  // namespace relbias::modalities
