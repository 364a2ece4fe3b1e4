// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/targets: one picture, every format.
#include "modalities/image/picture_file.h"
#include "tests/fuzz/target.h"

namespace relbias::tests {

FuzzTarget fuzz_target_picture() {
  return {.read = [](std::string_view bytes) { read_picture(bytes, {.side = 8, .least = 1}); }};
}

}  // namespace relbias::tests
