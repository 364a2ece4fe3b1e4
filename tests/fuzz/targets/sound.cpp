// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/targets: one sound file.
#include "modalities/audio/frames/sound.h"
#include "tests/fuzz/target.h"

namespace relbias::tests {

FuzzTarget fuzz_target_sound() {
  return {.read = [](std::string_view bytes) { decode_sound(std::string(bytes)); }};
}

}  // namespace relbias::tests
