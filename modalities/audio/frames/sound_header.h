// SPDX-License-Identifier: Apache-2.0
// modalities/audio/frames: what the header of a sound file says of its length, held against the
// file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace relbias::modalities {

/// libsndfile corrects or believes a header without a word, depending on the format.
struct SoundHeader {
  std::optional<int64_t> frames{};  // promised; nothing where libsndfile counts them itself
  bool open = false;                // the length is left open, as streams do
  bool longer = false;              // there are more samples than promised, and all are read
  bool cut = false;                 // the file ends before its format allows it to
};

/// Reads the header of a WAV (RIFF, RIFX, RF64), AIFF, AU, FLAC or Ogg file. Where a size is open
/// or too small for what follows it, which is neither another chunk nor a tag, the size in `bytes`
/// is set to what is there, so that all of it is read.
SoundHeader check_sound_header(std::string& bytes);

}  // namespace relbias::modalities
