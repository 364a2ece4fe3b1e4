// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/targets: a table of text, its quotes and numbers.
#include "modalities/plain/csv.h"
#include "tests/fuzz/target.h"

namespace relbias::tests {

FuzzTarget fuzz_target_csv() {
  return {.read = [](std::string_view bytes) {
    refusing([&] {
      const auto rows = parse_csv("a.csv", std::string(bytes));
      check_widths("a.csv", rows);
      for (const CsvRow& row : rows) numbers_in_row("a.csv", row);
    });
  }};
}

}  // namespace relbias::tests
