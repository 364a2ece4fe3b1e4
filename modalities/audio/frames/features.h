// SPDX-License-Identifier: Apache-2.0
// modalities/audio/frames: the frames of many sound files, computed once and kept on disk.
#pragma once

#include <map>

#include "modalities/audio/frames/log_mel.h"
#include "modalities/plain/files.h"

namespace relbias::modalities {

struct FeatureOptions {
  LogMelOptions mel{};
  double shortest = 0;  // s: what is shorter is left out, like what is shorter than a window
};

/// How often something happened to files, and to which first.
struct Tally {
  int64_t files = 0;
  std::string first{};
};
using Tallies = std::map<std::string, Tally>;  // by what happened

/// `3 not a sound file (first a.wav), 1 no samples (first b.wav)`
std::string text_of(const Tallies& tallies);

/// The frames of all files, one after the other in the order of their names.
struct Features {
  Tensor frames;                // [sum of counts, mels] float32
  std::vector<int64_t> counts;  // frames of every file; 0: left out
  Tallies left_out;             // why
  Tallies used_although;        // truncated, mixed to mono, resampled ...
  std::string content_hash;     // of all files, also of those left out
  bool from_cache = false;
};

/// Reads `names` below `folder`. A file that is no sound, is empty, is too short, has NaN or
/// infinite samples or so large ones that their power is (about 1e19), has a rate that cannot be
/// resampled to the one asked for, or is a copy of one before it is left out; one that ends before
/// its header says so, has several channels or another rate is used. All of this is counted.
///
/// What was computed is kept in data_folder()/features/KEY, KEY a hash of contents, names and
/// options, so that it can never be stale: written beside it and renamed when whole. A damaged file
/// there is computed anew.
Features read_features(const std::filesystem::path& folder, const std::vector<std::string>& names,
                       const FeatureOptions& options);

}  // namespace relbias::modalities
