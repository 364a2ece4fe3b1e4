// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/targets: the raw files of the Open Graph Benchmark.
#include "tests/fuzz/target.h"

namespace relbias::tests {

FuzzTarget fuzz_target_ogb_csv() {
  return {.read = [](std::string_view bytes) { read_dataset(bytes, "ogb-csv path=FOLDER"); }};
}

}  // namespace relbias::tests
