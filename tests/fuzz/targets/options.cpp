// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/targets: a name with options.
#include "modalities/plain/options.h"
#include "tests/fuzz/target.h"

namespace relbias::tests {

FuzzTarget fuzz_target_options() {
  return {.read = [](std::string_view bytes) {
    refusing([&] {
      parse_options("encoding", bytes,
                    {{"flag", true, ""},
                     {"whole", int64_t{3}, "", {}, 0, 9},
                     {"real", 0.5, ""},
                     {"word", "a", "", {"a", "b"}}});
    });
  }};
}

}  // namespace relbias::tests
