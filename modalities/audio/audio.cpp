// SPDX-License-Identifier: Apache-2.0
// modalities/audio: datasets of clips.
#include "modalities/audio/audio.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace relbias::modalities {

std::vector<OptionSpec> audio_specs(const AudioOptions& defaults) {
  std::vector<OptionSpec> specs = log_mel_specs(defaults.features.mel);
  specs.push_back({"shortest",
                   defaults.features.shortest,
                   "clips of fewer seconds are left out; 0: those shorter than a window",
                   {},
                   0,
                   3600});
  static const std::array<std::string, 3> words = {"none", "clip", "dataset"};
  specs.push_back({"normalise",
                   words[static_cast<size_t>(defaults.normalise)],
                   "bands to mean 0 and deviation 1: of the clip, or of all training frames",
                   {"none", "clip", "dataset"}});
  return specs;
}

AudioOptions audio_from(const Options& options) {
  const std::string& word = options.word("normalise");
  return {.features = {.mel = log_mel_from(options), .shortest = options.real("shortest")},
          .normalise = word == "none"   ? Normalise::none
                       : word == "clip" ? Normalise::clip
                                        : Normalise::dataset};
}

AudioDataset::AudioDataset(const AudioSource& source, const AudioOptions& options)
    : report_(source.origin),
      categories_(source.categories),
      hop_seconds_(options.features.mel.hop_seconds()) {
  std::vector<std::string> names;
  for (const auto& file : source.files) names.push_back(file.name);
  const Features features = read_features(source.folder, names, options.features);
  hash_ = features.content_hash;
  frames_ = features.frames;
  add_clips(source, features);
  normalise(options.normalise);
}

void AudioDataset::add_clips(const AudioSource& source, const Features& features) {
  int64_t first = 0, used = 0;
  for (size_t n = 0; n < source.files.size(); ++n) {
    const auto& file = source.files[n];
    const int64_t count = features.counts[n];
    if (count == 0) continue;
    clips_[static_cast<size_t>(file.split)].push_back({file.name, file.category, first, count});
    first += count;
    ++used;
  }
  report_ += fmt::format(": {} of {} clips", used, source.files.size());
  for (const auto& [text, tallies] : {std::pair{"left out", &features.left_out},
                                      std::pair{"used although", &features.used_although}}) {
    if (!tallies->empty()) report_ += fmt::format("; {}: {}", text, text_of(*tallies));
  }
  for (const Split split : all_splits) {
    if (clips(split).empty()) {
      input_error("{}: no clip is left for {}", report_, split_name(split));
    }
    report_ += fmt::format("; {} {} clips", split_name(split), clips(split).size());
  }
}

void AudioDataset::normalise(Normalise how) {
  const auto change = [&](const Clip& clip, const BandStatistics& statistics) {
    Tensor place = frames(clip);
    place.copy_(statistics.normalised(place));
  };
  if (how == Normalise::none) return;
  if (how == Normalise::clip) {
    for (const Split split : all_splits) {
      for (const Clip& clip : clips(split)) change(clip, BandStatistics::of(frames(clip)));
    }
    return;
  }
  std::vector<Tensor> trained;
  for (const Clip& clip : clips(Split::train)) trained.push_back(frames(clip));
  frames_ = BandStatistics::of(at::cat(trained, 0)).normalised(frames_);
}

const AudioDataset& audio_of(const Dataset* dataset, const std::string& task) {
  return dataset_of<AudioDataset>(dataset, task, "audio, for example prompts");
}

}  // namespace relbias::modalities
