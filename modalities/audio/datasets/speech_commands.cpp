// SPDX-License-Identifier: Apache-2.0
// modalities/audio: dataset `speech-commands`, the layout of Speech Commands (Warden 2018).
#include <algorithm>
#include <set>
#include <sstream>

#include "modalities/audio/audio.h"

namespace relbias::modalities {
namespace {

const AudioOptions defaults = {.features = {.mel = {.rate = 16000, .low = 20, .floor = 1e-6}}};

// The lines of a list of held-out files, each of which must be there.
std::set<std::string> held_out(const std::filesystem::path& path,
                               const std::vector<std::string>& names) {
  std::set<std::string> listed;
  std::istringstream lines(read_file(path));
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    if (!std::binary_search(names.begin(), names.end(), line)) {
      input_error("{} line {}: no file {}", path.string(), number, line);
    }
    listed.insert(line);
  }
  return listed;
}

std::vector<std::string> words_of(const std::vector<std::string>& names) {
  std::set<std::string> words;
  for (const std::string& name : names) words.insert(name.substr(0, name.find('/')));
  return {words.begin(), words.end()};
}

/// WORD/SPEAKER_nohash_TAKE.wav; validation_list.txt and testing_list.txt name what is held out,
/// the rest trains. _background_noise_ is no word.
std::unique_ptr<Dataset> make(const Options& options) {
  AudioSource source;
  source.folder = options.word("path");
  if (source.folder.empty()) input_error("dataset speech-commands: path= is missing, a folder");
  LeftOut left_out;
  std::vector<std::string> names = files_below(source.folder, {"wav"}, &left_out);
  std::erase_if(names, [](const std::string& name) {
    return name.find('/') == std::string::npos || name.starts_with("_background_noise_/");
  });
  if (names.empty()) {
    input_error("dataset speech-commands: {} holds no WORD/*.wav", source.folder.string());
  }
  const auto validation = held_out(source.folder / "validation_list.txt", names);
  const auto test = held_out(source.folder / "testing_list.txt", names);
  source.categories = words_of(names);
  for (const std::string& name : names) {
    if (validation.contains(name) && test.contains(name)) {
      input_error("dataset speech-commands: {} stands in validation_list.txt and testing_list.txt",
                  name);
    }
    const auto word = std::lower_bound(source.categories.begin(), source.categories.end(),
                                       name.substr(0, name.find('/')));
    source.files.push_back({name, word - source.categories.begin(),
                            validation.contains(name) ? Split::validation
                            : test.contains(name)     ? Split::test
                                                      : Split::train});
  }
  source.origin =
      fmt::format("speech-commands {}, {} words", source.folder.string(), source.categories.size());
  source.origin += left_out.text();
  return std::make_unique<AudioDataset>(source, audio_from(options));
}

}  // namespace

DatasetEntry dataset_speech_commands() {
  std::vector<OptionSpec> specs = {{"path", std::string(), "folder of the words"}};
  for (auto& spec : audio_specs(defaults)) specs.push_back(std::move(spec));
  return {
      .summary =
          "spoken words of a second in the layout of Speech Commands, with its own split; yours to "
          "bring",
      .options = specs,
      .make = make,
  };
}

}  // namespace relbias::modalities
