// SPDX-License-Identifier: Apache-2.0
// modalities/audio/frames: from sound files to frames, and what happened on the way.
#include "modalities/audio/frames/features.h"

#include <ATen/ATen.h>

#include <unordered_set>

#include "modalities/audio/frames/feature_store.h"
#include "modalities/audio/frames/sound.h"

namespace relbias::modalities {
namespace {

constexpr float loudest = 2;  // full scale is 1; what a filter overshoots stays below this
constexpr int version = 4;    // of what read_features computes: a change makes old files unused

void count(Tallies& tallies, const std::string& what, const std::string& name) {
  Tally& tally = tallies[what];
  if (tally.files++ == 0) tally.first = name;
}

/// A hash of each file's bytes, in the order of the names.
std::vector<std::string> hashes_of(const std::filesystem::path& folder,
                                   const std::vector<std::string>& names) {
  std::vector<std::string> hashes;
  hashes.reserve(names.size());
  for (const std::string& name : names) {
    hashes.push_back(content_hash({{"", read_file(folder / name)}}));
  }
  return hashes;
}

class Reader {
 public:
  Reader(const FeatureOptions& options, Features& features)
      : options_(options), log_mel_(options.mel), features_(features) {}

  /// The frames of one file; undefined where it is left out.
  Tensor read(const std::filesystem::path& path, const std::string& name) {
    const Sound sound = read_sound(path);
    if (!sound.fault.empty()) return leave_out(sound.fault, name);
    if (!can_resample(sound.rate, options_.mel.rate)) {
      return leave_out(fmt::format("of {} Hz, too far from {}", sound.rate, options_.mel.rate),
                       name);
    }
    const auto seconds =
        static_cast<double>(sound.samples.size(0)) / static_cast<double>(sound.rate);
    if (seconds < options_.shortest) {
      return leave_out(fmt::format("shorter than {} s", options_.shortest), name);
    }
    const Tensor samples = resampled(sound.samples, sound.rate, options_.mel.rate);
    if (log_mel_.frames_of(samples.size(0)) == 0) return leave_out("shorter than a window", name);
    const Tensor frames = log_mel_(samples);
    if (!at::isfinite(frames).all().item<bool>()) {
      return leave_out("samples too large", name);
    }
    note(sound, name);
    return frames;
  }

  Tensor leave_out(const std::string& why, const std::string& name) {
    count(features_.left_out, why, name);
    return {};
  }

 private:
  void note(const Sound& sound, const std::string& name) {
    Tallies& used = features_.used_although;
    if (sound.truncated) count(used, "truncated", name);
    if (sound.longer) count(used, "longer than its header says", name);
    if (sound.length_unknown) count(used, "length unknown", name);
    if (sound.channels > 1) count(used, "mixed to mono", name);
    if (sound.rate > options_.mel.rate) count(used, "resampled to a lower rate", name);
    if (sound.rate < options_.mel.rate) count(used, "resampled to a higher rate", name);
    const float peak = sound.samples.abs().max().item<float>();
    if (peak == 0) count(used, "silent", name);
    if (peak > loudest) count(used, "louder than full scale", name);
  }

  const FeatureOptions& options_;
  LogMel log_mel_;
  Features& features_;
};

Features compute(const std::filesystem::path& folder, const std::vector<std::string>& names,
                 const std::vector<std::string>& hashes, const FeatureOptions& options) {
  Features features;
  Reader reader(options, features);
  std::vector<Tensor> all{at::empty({0, options.mel.mels}, at::kFloat)};
  std::unordered_set<std::string> seen;
  for (size_t n = 0; n < names.size(); ++n) {
    const bool copy = !seen.insert(hashes[n]).second;
    const Tensor frames = copy ? reader.leave_out("copy of another", names[n])
                               : reader.read(folder / names[n], names[n]);
    features.counts.push_back(frames.defined() ? frames.size(0) : 0);
    if (frames.defined()) all.push_back(frames);
  }
  features.frames = at::cat(all, 0);
  return features;
}

}  // namespace

std::string text_of(const Tallies& tallies) {
  std::string text;
  for (const auto& [what, tally] : tallies) {
    text +=
        fmt::format("{}{} {} (first {})", text.empty() ? "" : ", ", tally.files, what, tally.first);
  }
  return text;
}

Features read_features(const std::filesystem::path& folder, const std::vector<std::string>& names,
                       const FeatureOptions& options) {
  const std::vector<std::string> hashes = hashes_of(folder, names);
  std::vector<File> listing;
  for (size_t n = 0; n < names.size(); ++n) listing.push_back({names[n], hashes[n]});
  const std::string hash = content_hash(listing);
  const std::string settings = fmt::format("{} {} shortest={} version={}", hash,
                                           canonical(options.mel), options.shortest, version);
  const auto path = data_folder() / "features" / content_hash({{settings, ""}});
  std::optional<Features> features = load_features(path, options.mel.mels);
  if (!features || features->counts.size() != names.size()) {
    features = compute(folder, names, hashes, options);
    // Without the cache every run computes them again, which costs time and changes nothing.
    store_features(path, *features);
  }
  features->content_hash = hash;
  return std::move(*features);
}

}  // namespace relbias::modalities
