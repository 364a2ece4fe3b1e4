// SPDX-License-Identifier: Apache-2.0
// modalities/audio/frames: features as one file on disk.
#pragma once

#include <optional>

#include "modalities/audio/frames/features.h"

namespace relbias::modalities {

/// The file: frames as float32, then a line of JSON (counts, tallies), then its length in 8 bytes.
/// Nothing where there is no such file, or none that is whole.
std::optional<Features> load_features(const std::filesystem::path& path, int64_t mels);

/// Writes it beside `path` and renames it. A disk that is full or cannot be written to costs only
/// the next run's time: what went wrong is returned, empty where nothing did.
std::string store_features(const std::filesystem::path& path, const Features& features);

}  // namespace relbias::modalities
