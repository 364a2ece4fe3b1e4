// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/targets: the four files of MNIST.
#include "tests/fuzz/target.h"

namespace relbias::tests {

FuzzTarget fuzz_target_idx() {
  return {.read = [](std::string_view bytes) { read_dataset(bytes, "idx path=FOLDER"); }};
}

}  // namespace relbias::tests
