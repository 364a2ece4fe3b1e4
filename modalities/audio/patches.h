// SPDX-License-Identifier: Apache-2.0
// modalities/audio: how a clip's frames become tokens.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "modalities/relation.h"

namespace relbias::modalities {

/// A token is a stretch of whole frames, or, with `bands`, a patch of some bands of it (AST, Gong
/// et al. 2021: 16 x 16 with an overlap of 6). What is left over at the end makes no token.
struct Patches {
  int64_t frames = 4;   // of a token
  int64_t bands = 0;    // of a token; 0: all, one token a stretch
  int64_t overlap = 0;  // frames, and bands, that neighbours share
  int64_t every = 1;    // only each n-th frame is used: the same clip at n times the hop

  static std::vector<OptionSpec> specs(const Patches& defaults);
  /// Throws InputError where the options contradict each other or need more than `mels` bands.
  static Patches from(const Options& options, int64_t mels);

  /// Tokens along the time of a clip of `frames` frames: 5 of 23 frames in fours.
  int64_t times(int64_t clip_frames) const;
  /// Tokens of every moment.
  int64_t rows(int64_t mels) const;
  /// Numbers of a token.
  int64_t features(int64_t mels) const { return frames * (bands == 0 ? mels : bands); }
  /// The frames a clip needs for one token.
  int64_t shortest() const { return (frames - 1) * every + 1; }

  /// The tokens of a clip, [times * rows, features], time by time; a token's numbers frame by
  /// frame.
  Tensor cut(const Tensor& clip) const;  // [T, mels]

  /// The structure of `tokens` tokens, from frames of `hop` seconds.
  Structure structure(int64_t tokens, int64_t mels, double hop) const;
};

}  // namespace relbias::modalities
