// SPDX-License-Identifier: Apache-2.0
// modalities/audio/frames: one sound file as samples, whatever its format, rate and channels.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>

#include "modalities/plain/rooms.h"

namespace relbias::modalities {

using at::Tensor;

/// A sound file as it is, not as its header says.
struct Sound {
  std::string fault{};          // why it cannot be used; empty: it can, and all below holds
  Tensor samples{};             // [n] float32: the mean over the channels
  int64_t rate = 0;             // Hz
  int64_t channels = 0;         // in the file
  bool truncated = false;       // the header promises more samples than there are
  bool longer = false;          // there are more samples than it promises; all are read
  bool length_unknown = false;  // the header leaves the length open (a stream)
};

/// Reads whatever libsndfile reads (WAV, FLAC, OGG, AIFF ...): integers of b bits divided by
/// 2^(b-1), so that all lie in -1..1 (16 bit 32767 is 0.99996948); floats as they are; channels
/// averaged frame by frame (frames 0.5 -0.5 / 0.25 0.25: samples 0 0.25). As many samples as there
/// are, whatever the header says of their number, none invented: behind the samples only chunks or
/// tags are no samples.
///
/// `fault` says what is wrong with a file that is no sound, has no samples, or has samples that are
/// not finite. A file that is missing or unreadable throws InputError.
Sound read_sound(const std::filesystem::path& path);
/// The same of the content of a file.
Sound decode_sound(std::string bytes);

/// Whether `resampled` has this factor: 1/256 to 256.
bool can_resample(int64_t from, int64_t to);

/// The samples at another rate, by libsamplerate's band-limited interpolation; n * to / from of
/// them, rounded up.
Tensor resampled(const Tensor& samples,  // [n] float32
                 int64_t from, int64_t to);

}  // namespace relbias::modalities
