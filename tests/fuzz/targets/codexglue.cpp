// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/targets: functions as lines of JSON.
#include "tests/fuzz/target.h"

namespace relbias::tests {

FuzzTarget fuzz_target_codexglue() {
  return {.read = [](std::string_view bytes) { read_dataset(bytes, "codexglue path=FOLDER"); }};
}

}  // namespace relbias::tests
