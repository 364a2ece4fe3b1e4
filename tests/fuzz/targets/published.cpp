// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/targets: a published table.
#include "results/claims/published.h"
#include "tests/fuzz/target.h"

namespace relbias::tests {

FuzzTarget fuzz_target_published() {
  return {.read = [](std::string_view bytes) {
    refusing([&] { parse_published(std::string(bytes), "fuzzed"); });
  }};
}

}  // namespace relbias::tests
