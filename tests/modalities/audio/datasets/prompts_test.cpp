// SPDX-License-Identifier: Apache-2.0
// tests: dataset `prompts`: counts of the real one, the split by prompt, folders that are none.
#include <gmock/gmock.h>

#include <set>

#include "tests/error_of.h"
#include "tests/modalities/audio/folders.h"

namespace relbias::modalities {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const AudioDataset& prompts() {
  static const auto dataset = [] {
    const auto& entry = find_entry("dataset", "prompts", dataset_entries());
    return entry.make(parse_options("dataset", "prompts", entry.options));
  }();
  return as_audio(dataset);
}

std::string prompt_of(const Clip& clip) { return clip.name.substr(clip.name.find('/') + 1); }

TEST(Prompts, CountsOfTheFiveLanguages) {
  std::array<int, 5> counts = {};
  for (const Split split : all_splits) {
    for (const Clip& clip : prompts().clips(split)) ++counts[static_cast<size_t>(clip.category)];
  }
  EXPECT_THAT(prompts().categories(), ElementsAre("en", "es", "fr", "it", "ru"));
  EXPECT_EQ(counts, (std::array<int, 5>{556, 515, 549, 579, 562})) << prompts().report();
  EXPECT_EQ(prompts().mels(), 40);
  EXPECT_DOUBLE_EQ(prompts().hop_seconds(), 0.01);
}

TEST(Prompts, APromptIsInOneSplitInAllLanguages) {
  std::array<std::set<std::string>, 3> names;
  for (const Split split : all_splits) {
    for (const Clip& clip : prompts().clips(split)) {
      names[static_cast<size_t>(split)].insert(prompt_of(clip));
    }
  }
  for (const auto& [a, b] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
    for (const auto& name : names[static_cast<size_t>(a)]) {
      EXPECT_FALSE(names[static_cast<size_t>(b)].contains(name)) << name;
    }
  }
  // Some 700 prompts fall by their hashes: one standard deviation of a share of 20 % is 42 clips.
  EXPECT_NEAR(static_cast<double>(prompts().clips(Split::train).size()), 0.75 * 2761, 3.3 * 42);
  EXPECT_NEAR(static_cast<double>(prompts().clips(Split::test).size()), 0.2 * 2761, 3.3 * 42);
}

class PromptsFolder : public SoundFolder {};

TEST_F(PromptsFolder, SilenceAndOtherFoldersAreNoPrompts) {
  for (const std::string voice : {"en_A", "es_A", "fr_A", "it_A", "ru_A"}) {
    for (int n = 0; n < 12; ++n) write_tone(fmt::format("{}/digits/{}.wav", voice, n));
    write_tone(voice + "/silence/1.wav");
  }
  write_tone("english/1.wav");
  const auto dataset = make("prompts");
  EXPECT_THAT(dataset->report(),
              testing::AllOf(HasSubstr("prompts without 5 of silence"),
                             HasSubstr(": 60 of 60 clips"), HasSubstr("a language is one voice")));
  std::filesystem::remove_all(folder_.path() / "ru_A");
  EXPECT_THAT(error_of([&] { make("prompts"); }), HasSubstr("prompts of 4 languages, 5 expected"));
}

TEST_F(PromptsFolder, AMissingFolderNamesSetup) {
  const auto& entry = find_entry("dataset", "prompts", dataset_entries());
  EXPECT_THAT(error_of([&] { entry.make(parse_options("dataset", "prompts", entry.options)); }),
              HasSubstr("run experiments/setup"));  // the cache of this test is empty
}

}  // namespace
}  // namespace relbias::modalities
