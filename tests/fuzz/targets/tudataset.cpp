// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/targets: text files of the TU Dortmund collection.
#include "tests/fuzz/target.h"

namespace relbias::tests {

FuzzTarget fuzz_target_tudataset() {
  return {.read = [](std::string_view bytes) { read_dataset(bytes, "tudataset path=FOLDER"); }};
}

}  // namespace relbias::tests
