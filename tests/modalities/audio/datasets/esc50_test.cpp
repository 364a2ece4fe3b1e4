// SPDX-License-Identifier: Apache-2.0
// tests: dataset `esc50`: folds, targets with gaps, tables that lie.
#include <gmock/gmock.h>

#include "tests/error_of.h"
#include "tests/modalities/audio/folders.h"

namespace relbias::modalities {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Esc50 : public SoundFolder {
 protected:
  void SetUp() override {
    std::string table = "filename,fold,target,category,esc10,src_file,take\r\n";
    for (int fold = 1; fold <= 5; ++fold) {
      for (const auto& [target, name] : {std::pair{0, "dog"}, std::pair{40, "rain"}}) {
        const std::string file = fmt::format("{}-1-A-{}.wav", fold, target);
        write_tone("audio/" + file);
        table += fmt::format("{},{},{},{},True,1,A\r\n", file, fold, target, name);
      }
    }
    folder_.write("meta/esc50.csv", table);
  }
  void table(const std::string& text) { folder_.write("meta/esc50.csv", text); }
  std::string message() {
    return error_of([&] { make("esc50"); });
  }
};

TEST_F(Esc50, OneFoldTestsTheNextValidates) {
  const auto dataset = make("esc50", "fold=5");
  const AudioDataset& audio = as_audio(dataset);
  EXPECT_THAT(audio.categories(), ElementsAre("dog", "rain"));
  EXPECT_THAT(names_of(audio.clips(Split::test)),
              ElementsAre("audio/5-1-A-0.wav", "audio/5-1-A-40.wav"));
  EXPECT_THAT(names_of(audio.clips(Split::validation)),
              ElementsAre("audio/1-1-A-0.wav", "audio/1-1-A-40.wav"));
  EXPECT_EQ(audio.clips(Split::train).size(), 6U);
  EXPECT_EQ(audio.clips(Split::test).back().category, 1);
  EXPECT_THAT(dataset->report(), HasSubstr("fold 5 tests, fold 1 validates"));
}

TEST_F(Esc50, TablesThatDoNotFitAreErrors) {
  table("filename,fold,category\n");
  EXPECT_THAT(message(), HasSubstr("esc50.csv: no column target"));
  table("filename,fold,target,category\n1-1-A-0.wav,1,0\n");
  EXPECT_THAT(message(), HasSubstr("line 2: 3 cells found, 4 expected"));
  table("filename,fold,target,category\n1-1-A-0.wav,6,0,dog\n");
  EXPECT_THAT(message(), HasSubstr("line 2, fold: '6' found, a number of 1 to 5"));
  table("filename,fold,target,category\n1-1-A-0.wav,1,x,dog\n");
  EXPECT_THAT(message(), HasSubstr("line 2, target: 'x' found"));
  table("filename,fold,target,category\n1-1-A-0.wav,1,0,dog\n2-1-A-0.wav,2,0,cat\n");
  EXPECT_THAT(message(), HasSubstr("line 3, category: 'cat' found, 'dog' expected"));
  table("filename,fold,target,category\nnone.wav,1,0,dog\n");
  EXPECT_THAT(message(), HasSubstr("audio/none.wav does not exist"));
  table("filename,fold,target,category\n");
  EXPECT_THAT(message(), HasSubstr("names no clip"));
  std::filesystem::remove(folder_.path() / "meta" / "esc50.csv");
  EXPECT_THAT(message(), HasSubstr("esc50.csv does not exist"));
}

}  // namespace
}  // namespace relbias::modalities
