// SPDX-License-Identifier: Apache-2.0
// modalities/audio: clips as frames of a log-mel spectrogram, in three splits that share no clip.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "modalities/audio/frames/features.h"
#include "modalities/modality.h"
#include "modalities/sampling/split.h"

namespace relbias::modalities {

/// What an audio dataset is read from, and how it is divided.
struct AudioSource {
  std::string origin;  // for the report: what it is and where
  std::filesystem::path folder;
  std::vector<std::string> categories;
  struct File {
    std::string name;      // below the folder
    int64_t category = 0;  // index into `categories`
    Split split = Split::train;
  };
  std::vector<File> files;
};

/// What is done to the frames before a model sees them. Training frames decide, whatever the split:
///   none     nothing
///   clip     every clip by its own mean and deviation of each band
///   dataset  all clips by those of the training frames
enum class Normalise { none, clip, dataset };

struct AudioOptions {
  FeatureOptions features{};
  Normalise normalise = Normalise::dataset;
};

/// Options of an audio dataset: features, normalisation, shortest clip.
std::vector<OptionSpec> audio_specs(const AudioOptions& defaults);
AudioOptions audio_from(const Options& options);

struct Clip {
  std::string name;
  int64_t category = 0;
  int64_t first = 0;   // frame
  int64_t frames = 0;  // at least 1
};

class AudioDataset final : public Dataset {
 public:
  /// Throws InputError where a file cannot be read or a split is left without a clip.
  AudioDataset(const AudioSource& source, const AudioOptions& options);

  std::string content_hash() const override { return hash_; }
  std::string report() const override { return report_; }

  const std::vector<std::string>& categories() const { return categories_; }
  const std::vector<Clip>& clips(Split split) const { return clips_[static_cast<size_t>(split)]; }
  /// The frames of a clip, [frames, mels] float32, normalised.
  Tensor frames(const Clip& clip) const { return frames_.narrow(0, clip.first, clip.frames); }
  int64_t mels() const { return frames_.size(1); }
  double hop_seconds() const { return hop_seconds_; }

 private:
  void add_clips(const AudioSource& source, const Features& features);
  void normalise(Normalise how);

  std::string hash_, report_;
  std::vector<std::string> categories_;
  std::array<std::vector<Clip>, 3> clips_;
  Tensor frames_;  // [T, mels]
  double hop_seconds_;
};

/// For a task's factory: the dataset as audio, or InputError naming the task.
const AudioDataset& audio_of(const Dataset* dataset, const std::string& task);

}  // namespace relbias::modalities
