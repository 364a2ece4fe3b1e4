// SPDX-License-Identifier: Apache-2.0
// experiments/model: which pairs of tokens attention is given, by where they stand.
#pragma once

#include <string>

#include "modalities/relation.h"

namespace relbias::experiments {

/// `full`: every pair. `window size=4 shift=true`: the tokens of a grid attend within windows of
/// size x size cells, which every second layer shifts by half a window (Liu et al. 2021, Swin
/// Transformer, section 3.2).
///
/// The grid is first padded below and on the right to whole windows, then rolled: cells that only
/// the roll brought into one window do not attend to each other, padded cells are no tokens. A side
/// no longer than the window is not shifted. A class token attends everywhere and is attended from
/// everywhere.
///
/// 1x5 cells, size 2, padded to 6. Layer 0: windows 0 1 | 2 3 | 4. Layer 1, shifted by 1: 0 | 1 2 |
/// 3 4.
class Pattern {
 public:
  /// Throws InputError where the text is no pattern.
  explicit Pattern(const std::string& text);

  /// Throws InputError where a window is asked for and the sample is no grid.
  void check(const Structure& sample) const;

  /// The window of every token in a layer, [N] int64, -1 of a class token, as
  /// AttentionOptions::groups has it; undefined: every pair may attend. Checks the sample.
  Tensor groups(const Structure& sample, int64_t layer) const;

 private:
  int64_t size_ = 0;  // of a window; 0: full
  bool shift_ = false;
};

/// The pattern as it stands in a configuration: `window size=4 shift=true`.
std::string canonical_pattern(const std::string& text);

}  // namespace relbias::experiments
