// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/targets: the files of CIFAR.
#include "tests/fuzz/target.h"

namespace relbias::tests {

FuzzTarget fuzz_target_cifar() {
  return {.read = [](std::string_view bytes) { read_dataset(bytes, "cifar path=FOLDER"); }};
}

}  // namespace relbias::tests
