// SPDX-License-Identifier: Apache-2.0
// tests: small audio datasets of files that a test writes.
#pragma once

#include "modalities/audio/audio.h"
#include "tests/modalities/audio/cache_folder.h"
#include "tests/modalities/audio/wav.h"

namespace relbias::modalities {

/// A folder, and a cache of its own, gone after the test.
class SoundFolder : public ::testing::Test {
 protected:
  std::string path() const { return folder_.path().string(); }
  /// A tone, of another frequency in every file.
  void write_tone(const std::string& name, double seconds = 0.5) {
    folder_.write(name, Wav{.samples = tone(seconds, 300 + 10 * ++files_)}.bytes());
  }
  /// CLASS/0.wav to CLASS/(files - 1).wav, of 0.5 s, 0.6 s, ...
  void write_class(const std::string& name, int files) {
    for (int n = 0; n < files; ++n) {
      write_tone(fmt::format("{}/{}.wav", name, n), 0.5 + 0.1 * n);
    }
  }
  /// Dataset NAME of this folder.
  std::unique_ptr<Dataset> make(const std::string& name, const std::string& options = "") {
    const auto& entry = find_entry("dataset", name, dataset_entries());
    return entry.make(parse_options(
        "dataset", fmt::format("{} path={} rate=8000 high=3800 {}", name, path(), options),
        entry.options));
  }

  CacheFolder cache_;
  ScratchFolder folder_;

 private:
  int files_ = 0;
};

inline std::vector<std::string> names_of(const std::vector<Clip>& clips) {
  std::vector<std::string> names;
  for (const Clip& clip : clips) names.push_back(clip.name);
  return names;
}

inline const AudioDataset& as_audio(const std::unique_ptr<Dataset>& dataset) {
  return audio_of(dataset.get(), "test");
}

}  // namespace relbias::modalities
