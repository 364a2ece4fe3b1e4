// SPDX-License-Identifier: Apache-2.0
// tests: dataset `speech-commands`: its own split, what is no word, lists that lie.
#include <gmock/gmock.h>

#include "tests/error_of.h"
#include "tests/modalities/audio/folders.h"

namespace relbias::modalities {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SpeechCommands : public SoundFolder {
 protected:
  void SetUp() override {
    for (const std::string name : {"yes/1_nohash_0", "yes/2_nohash_0", "no/1_nohash_0",
                                   "no/2_nohash_1", "_background_noise_/rain"}) {
      write_tone(name + ".wav");
    }
    folder_.write("validation_list.txt", "yes/2_nohash_0.wav\n");
    folder_.write("testing_list.txt", "no/2_nohash_1.wav\r\n\n");
  }
};

TEST_F(SpeechCommands, ListsNameWhatIsHeldOut) {
  const auto dataset = make("speech-commands");
  const AudioDataset& audio = as_audio(dataset);
  EXPECT_THAT(audio.categories(), ElementsAre("no", "yes"));
  EXPECT_THAT(names_of(audio.clips(Split::train)),
              ElementsAre("no/1_nohash_0.wav", "yes/1_nohash_0.wav"));
  EXPECT_THAT(names_of(audio.clips(Split::validation)), ElementsAre("yes/2_nohash_0.wav"));
  EXPECT_THAT(names_of(audio.clips(Split::test)), ElementsAre("no/2_nohash_1.wav"));
  EXPECT_EQ(audio.clips(Split::validation).front().category, 1);
}

TEST_F(SpeechCommands, ListsThatDoNotFitAreErrors) {
  folder_.write("testing_list.txt", "no/2_nohash_1.wav\nno/9.wav\n");
  EXPECT_THAT(error_of([&] { make("speech-commands"); }),
              HasSubstr("testing_list.txt line 2: no file no/9.wav"));
  folder_.write("testing_list.txt", "yes/2_nohash_0.wav\n");
  EXPECT_THAT(error_of([&] { make("speech-commands"); }),
              HasSubstr("yes/2_nohash_0.wav stands in validation_list.txt and testing_list.txt"));
  std::filesystem::remove(folder_.path() / "testing_list.txt");
  EXPECT_THAT(error_of([&] { make("speech-commands"); }),
              HasSubstr("testing_list.txt does not exist"));
}

TEST_F(SpeechCommands, WithoutWordsIsAnError) {
  for (const std::string word : {"yes", "no"}) std::filesystem::remove_all(folder_.path() / word);
  EXPECT_THAT(error_of([&] { make("speech-commands"); }), HasSubstr("holds no WORD/*.wav"));
}

}  // namespace
}  // namespace relbias::modalities
