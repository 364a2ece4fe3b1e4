// SPDX-License-Identifier: Apache-2.0
// modalities/audio: dataset `audio-folder`, sound files in one folder a class.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "modalities/audio/audio.h"
#include "modalities/sampling/division.h"

namespace relbias::modalities {
namespace {

const AudioOptions defaults = {.features = {.mel = {.floor = 1e-6}}};

// The split of a folder's name, or nothing.
std::optional<Split> split_named(const std::string& folder) {
  if (folder == "train") return Split::train;
  if (folder == "validation" || folder == "valid" || folder == "val") return Split::validation;
  if (folder == "test") return Split::test;
  return std::nullopt;
}

struct Place {
  std::optional<Split> split;
  std::string category;
};

// `train/dog/1.wav` or `dog/1.wav`; deeper folders belong to the class.
Place place_of(const std::string& name, bool with_splits) {
  const size_t first = name.find('/');
  if (!with_splits) return {std::nullopt, name.substr(0, first)};
  const size_t second = name.find('/', first + 1);
  return {split_named(name.substr(0, first)), name.substr(first + 1, second - first - 1)};
}

/// Whether the files lie in split folders: all do, or none.
bool has_splits(const std::filesystem::path& folder, const std::vector<std::string>& names) {
  const auto in_split = [](const std::string& name) {
    const size_t slash = name.find('/');
    return split_named(name.substr(0, slash)) && name.find('/', slash + 1) != std::string::npos;
  };
  const auto found = std::count_if(names.begin(), names.end(), in_split);
  if (found != 0 && found != static_cast<int64_t>(names.size())) {
    const auto odd = std::find_if_not(names.begin(), names.end(), in_split);
    input_error("{}: {} of {} files lie in SPLIT/CLASS/, {} does not", folder.string(), found,
                names.size(), *odd);
  }
  return found != 0;
}

std::vector<std::string> files_of(const std::filesystem::path& folder,
                                  const std::string& extensions, LeftOut& left_out) {
  std::vector<std::string> wanted;
  std::istringstream words(extensions);
  for (std::string word; std::getline(words, word, ',');) wanted.push_back(word);
  std::vector<std::string> names = files_below(folder, wanted, &left_out);
  std::erase_if(names, [](const std::string& name) { return name.find('/') == std::string::npos; });
  if (names.empty()) {
    input_error("{} holds no CLASS/FILE that ends in one of: {} (option extensions)",
                folder.string(), extensions);
  }
  return names;
}

/// A tenth of every class tests, another validates, by the content of each file; a class of 3 has
/// one in every split.
void divide(const std::filesystem::path& folder, std::vector<AudioSource::File>& files) {
  std::map<int64_t, std::vector<AudioSource::File*>> classes;
  for (auto& file : files) classes[file.category].push_back(&file);
  for (auto& [category, members] : classes) {
    std::vector<std::string> contents;
    for (const auto* file : members) {
      contents.push_back(content_hash({{"", read_file(folder / file->name)}}));
    }
    const Division division = divided(contents, {}, "content");
    for (size_t n = 0; n < members.size(); ++n) members[n]->split = division.splits[n];
  }
}

/// CLASS/FILE, or SPLIT/CLASS/FILE with the splits train, validation (valid, val) and test. Where
/// the folders give no split, a tenth of every class validates and a tenth tests.
std::unique_ptr<Dataset> make(const Options& options) {
  AudioSource source;
  source.folder = options.word("path");
  if (source.folder.empty()) input_error("dataset audio-folder: path= is missing, a folder");
  LeftOut left_out;
  const auto names = files_of(source.folder, options.word("extensions"), left_out);
  const bool with_splits = has_splits(source.folder, names);
  std::set<std::string> categories;
  for (const std::string& name : names) categories.insert(place_of(name, with_splits).category);
  source.categories.assign(categories.begin(), categories.end());
  for (const std::string& name : names) {
    const Place place = place_of(name, with_splits);
    const auto category =
        std::lower_bound(source.categories.begin(), source.categories.end(), place.category);
    source.files.push_back(
        {name, category - source.categories.begin(), place.split.value_or(Split::train)});
  }
  if (!with_splits) divide(source.folder, source.files);
  source.origin = fmt::format("audio-folder {}, {} classes, {}", source.folder.string(),
                              source.categories.size(),
                              with_splits ? "split by its folders" : "divided by content") +
                  left_out.text(/*all=*/true);
  return std::make_unique<AudioDataset>(source, audio_from(options));
}

}  // namespace

DatasetEntry dataset_audio_folder() {
  std::vector<OptionSpec> specs = {
      {"path", std::string(), "folder with one folder a class, or train/, validation/, test/"},
      {"extensions", std::string("wav,flac,ogg,oga,opus,aif,aiff,au"),
       "files that are read, by the end of their names"}};
  for (auto& spec : audio_specs(defaults)) specs.push_back(std::move(spec));
  return {
      .version = 2,
      .summary = "WAV, FLAC or OGG files in one folder a class, of any rate and length",
      .options = specs,
      .make = make,
  };
}

}  // namespace relbias::modalities
