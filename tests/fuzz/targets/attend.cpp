// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/targets: a case of relbias attend.
#include "experiments/attend/attend.h"
#include "tests/fuzz/target.h"
#include "tests/scratch_folder.h"

namespace relbias::tests {

FuzzTarget fuzz_target_attend() {
  return {.read = [](std::string_view bytes) {
    const ScratchFolder folder;
    const std::string file = folder.write("a.h5", bytes);
    refusing([&] { attend(file, folder.path() / "out.h5"); });
  }};
}

}  // namespace relbias::tests
