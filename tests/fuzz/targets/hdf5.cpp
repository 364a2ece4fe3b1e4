// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/targets: a file of results.
#include "results/store/arrays.h"
#include "results/store/store.h"
#include "tests/fuzz/target.h"
#include "tests/scratch_folder.h"

namespace relbias::tests {

FuzzTarget fuzz_target_hdf5() {
  return {.read = [](std::string_view bytes) {
    const ScratchFolder folder;
    const std::string file = folder.write("a.h5", bytes);
    refusing([&] { read_run(file); });
    refusing([&] { read_arrays(file); });
  }};
}

}  // namespace relbias::tests
