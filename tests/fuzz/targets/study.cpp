// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/targets: a study, to its runs.
#include "experiments/study/study.h"
#include "tests/fuzz/target.h"

namespace relbias::tests {

FuzzTarget fuzz_target_study() {
  return {.read = [](std::string_view bytes) {
    refusing([&] {
      const Study study = parse_study(bytes, "fuzzed.toml");
      if (study.parts.size() < 9) expand(study, {});
    });
  }};
}

}  // namespace relbias::tests
