// SPDX-License-Identifier: Apache-2.0
// modalities/sampling: the three parts that a dataset is divided into.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "modalities/plain/options.h"

namespace relbias::modalities {

enum class Split { train, validation, test };
inline constexpr std::array all_splits = {Split::train, Split::validation, Split::test};

constexpr std::string_view split_name(Split split) {
  constexpr std::array<std::string_view, 3> names = {"train", "validation", "test"};
  return names[static_cast<size_t>(split)];
}

/// The option of a task that names the split it evaluates; `what` is held out, `clips that are`.
inline OptionSpec split_option(const std::string& what) {
  return {"split",
          std::string("test"),
          "held-out " + what + " evaluated; validation is for choosing settings",
          {"validation", "test"}};
}
inline Split held_out_split(const Options& options) {
  return options.word("split") == "validation" ? Split::validation : Split::test;
}

}  // namespace relbias::modalities
