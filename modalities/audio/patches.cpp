// SPDX-License-Identifier: Apache-2.0
// modalities/audio: cutting frames into tokens.
#include "modalities/audio/patches.h"

#include <ATen/ATen.h>

namespace relbias::modalities {

std::vector<OptionSpec> Patches::specs(const Patches& defaults) {
  return {{"frames", defaults.frames, "frames of a token", {}, 1, 4096},
          {"bands", defaults.bands, "bands of a token, as in AST; 0: all", {}, 0, 4096},
          {"overlap", defaults.overlap, "frames and bands that neighbours share", {}, 0, 4095},
          {"every", defaults.every, "use each n-th frame: n times the hop", {}, 1, 64}};
}

Patches Patches::from(const Options& options, int64_t mels) {
  const Patches patches{.frames = options.integer("frames"),
                        .bands = options.integer("bands"),
                        .overlap = options.integer("overlap"),
                        .every = options.integer("every")};
  if (patches.bands > mels) {
    input_error("task {}: bands={} found, at most the dataset's {} expected", options.name(),
                patches.bands, mels);
  }
  const int64_t side =
      patches.bands == 0 ? patches.frames : std::min(patches.frames, patches.bands);
  if (patches.overlap >= side) {
    input_error("task {}: overlap={} found, less than the {} of a token expected", options.name(),
                patches.overlap, side);
  }
  return patches;
}

int64_t Patches::times(int64_t clip_frames) const {
  const int64_t used = (clip_frames + every - 1) / every;
  return used < frames ? 0 : (used - frames) / (frames - overlap) + 1;
}

int64_t Patches::rows(int64_t mels) const {
  return bands == 0 ? 1 : (mels - bands) / (bands - overlap) + 1;
}

Tensor Patches::cut(const Tensor& clip) const {
  const int64_t mels = clip.size(1);
  if (times(clip.size(0)) == 0) return at::empty({0, features(mels)}, clip.options());
  const Tensor used = clip.slice(0, 0, clip.size(0), every);
  const int64_t height = bands == 0 ? mels : bands;
  return used
      .unfold(0, frames, frames - overlap)                  // [times, mels, frames]
      .unfold(1, height, bands == 0 ? 1 : bands - overlap)  // [times, rows, frames, bands]
      .reshape({-1, frames * height});
}

Structure Patches::structure(int64_t tokens, int64_t mels, double hop) const {
  Structure structure{.queries = tokens, .keys = tokens};
  if (bands != 0) structure.sides = {tokens / rows(mels), rows(mels)};
  structure.hop_seconds = hop * static_cast<double>((frames - overlap) * every);
  return structure;
}

}  // namespace relbias::modalities
