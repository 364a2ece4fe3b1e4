// SPDX-License-Identifier: Apache-2.0
// modalities/sampling: the three parts that a dataset is divided into.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace relbias::modalities {

enum class Split { train, validation, test };
inline constexpr std::array all_splits = {Split::train, Split::validation, Split::test};

constexpr std::string_view split_name(Split split) {
  constexpr std::array<std::string_view, 3> names = {"train", "validation", "test"};
  return names[static_cast<size_t>(split)];
}

/// The stream from which a task that draws its samples draws those it evaluates. The run's own
/// stream "data" trains; those of different splits never meet.
constexpr std::string_view evaluation_stream(Split split) {
  constexpr std::array<std::string_view, 3> names = {"evaluation of train",
                                                     "evaluation of validation", "evaluation"};
  return names[static_cast<size_t>(split)];
}

}  // namespace relbias::modalities
