// SPDX-License-Identifier: Apache-2.0
// modalities/audio: dataset `prompts`, spoken telephone prompts in five languages.
#include <algorithm>
#include <set>

#include "modalities/audio/audio.h"
#include "modalities/sampling/division.h"

namespace relbias::modalities {
namespace {

constexpr std::array languages = {"en", "es", "fr", "it", "ru"};

/// 8 kHz speech: 40 bands between 60 and 3800 Hz. The floor is that of 16-bit noise.
const AudioOptions defaults = {
    .features = {.mel = {.rate = 8000, .low = 60, .high = 3800, .floor = 1e-5}, .shortest = 0.3}};

// The language of `en_US_f_Allison/digits/1.wav`, or -1.
int64_t language_of(const std::string& name) {
  const auto found = std::find(languages.begin(), languages.end(), name.substr(0, 2));
  if (found == languages.end() || name.size() < 3 || name[2] != '_') return -1;
  return found - languages.begin();
}

void check_languages(const AudioSource& source) {
  std::set<int64_t> found;
  for (const auto& file : source.files) found.insert(file.category);
  if (found.size() == languages.size()) return;
  input_error(
      "dataset prompts: {} holds prompts of {} languages, {} expected in folders named as "
      "en_US_f_Allison: run experiments/setup again, or read another collection by audio-folder",
      source.folder.string(), found.size(), languages.size());
}

/// Split by the name of the prompt: what is said in one language trains in all or in none.
std::unique_ptr<Dataset> make(const Options& options) {
  AudioSource source;
  source.folder = options.word("path");
  if (source.folder.empty()) source.folder = data_folder() / "asterisk-core-sounds-1.6.1";
  if (!std::filesystem::is_directory(source.folder)) {
    input_error(
        "dataset prompts: no folder {}: run experiments/setup, or name the folder of the packages' "
        "voices by path=",
        source.folder.string());
  }
  source.categories.assign(languages.begin(), languages.end());
  int64_t silences = 0;
  LeftOut left_out;
  for (const std::string& name : files_below(source.folder, {"wav"}, &left_out)) {
    const int64_t language = language_of(name);
    const size_t slash = name.find('/');
    if (language < 0 || slash == std::string::npos) continue;
    const std::string prompt = name.substr(slash + 1);
    if (prompt.starts_with("silence/")) {
      ++silences;
      continue;
    }
    source.files.push_back(
        {name, language, split_of_key(prompt, {.validation = 0.05, .test = 0.2})});
  }
  check_languages(source);
  source.origin = fmt::format(
      "prompts without {} of silence, a language is one voice (en and es the same speaker){}",
      silences, left_out.text());
  return std::make_unique<AudioDataset>(source, audio_from(options));
}

}  // namespace

DatasetEntry dataset_prompts() {
  std::vector<OptionSpec> specs = {
      {"path", std::string(),
       "folder of the voices; empty: the one that experiments/setup unpacked"}};
  for (auto& spec : audio_specs(defaults)) specs.push_back(std::move(spec));
  return {
      .version = 2,
      .summary =
          "2,761 spoken telephone prompts, 8 kHz, 2.2 hours in 5 languages, each spoken by one "
          "voice, so that who tells languages apart may tell voices; divided by prompt; "
          "Asterisk core sounds, CC-BY-SA-3.0 (ru CC-BY-3.0)",
      .options = specs,
      .make = make,
  };
}

}  // namespace relbias::modalities
