// SPDX-License-Identifier: Apache-2.0
// tests/fuzz: what is fuzzed: each parser that takes a user's file, one source file a target.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "modalities/plain/rooms.h"

namespace relbias::tests {
using namespace experiments;

struct FuzzTarget {
  std::string name{};  // from the file name, set by the catalogue
  /// Reads the bytes as a user's file. What is refused is refused by InputError or StoreError;
  /// anything else that is thrown, and every fault of memory, is a finding.
  std::function<void(std::string_view bytes)> read;
};

/// All targets, in the order of their names. Generated from the files in tests/fuzz/targets/.
const std::vector<FuzzTarget>& fuzz_target_entries();

/// Calls `read`, which may refuse.
void refusing(const std::function<void()>& read);

/// Reads a dataset from a folder with the files of the bytes: each begins behind a line `=== NAME`;
/// names are a letter, then letters, digits and any of `-_./`. `options` has FOLDER for the path.
void read_dataset(std::string_view bytes, std::string options);

}  // namespace relbias::tests
