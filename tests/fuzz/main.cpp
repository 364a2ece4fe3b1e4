// SPDX-License-Identifier: Apache-2.0
// tests/fuzz: libFuzzer's door. `relbias_fuzz --target=NAME [libFuzzer's options] CORPUS...`
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/fuzz/target.h"

namespace {

const relbias::tests::FuzzTarget* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  constexpr std::string_view flag = "--target=";
  for (int n = 1; n < *count; ++n) {
    const std::string_view word((*words)[n]);
    if (!word.starts_with(flag)) continue;
    for (const auto& target : relbias::tests::fuzz_target_entries()) {
      if (target.name == word.substr(flag.size())) chosen = &target;
    }
  }
  if (chosen != nullptr) return 0;
  std::fputs("--target=NAME expected, one of:", stderr);
  for (const auto& target : relbias::tests::fuzz_target_entries()) {
    std::fprintf(stderr, " %s", target.name.c_str());
  }
  std::fputs("\n", stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, size_t size) {
  chosen->read({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
