// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/targets: molecules of a table.
#include "tests/fuzz/target.h"

namespace relbias::tests {

FuzzTarget fuzz_target_smiles_csv() {
  return {.read = [](std::string_view bytes) {
    read_dataset("=== t.csv\n" + std::string(bytes), "smiles-csv path=FOLDER/t.csv");
  }};
}

}  // namespace relbias::tests
