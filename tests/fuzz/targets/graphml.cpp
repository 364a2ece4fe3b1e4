// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/targets: a graph as XML.
#include "tests/fuzz/target.h"

namespace relbias::tests {

FuzzTarget fuzz_target_graphml() {
  return {
      .read = [](std::string_view bytes) { read_dataset(bytes, "graphml path=FOLDER label=y"); }};
}

}  // namespace relbias::tests
