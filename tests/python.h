// SPDX-License-Identifier: Apache-2.0
// tests: what other programs make of our files.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace relbias {

// Standard output and error of a shell command, and its exit status.
inline std::pair<std::string, int> run_command(const std::string& command) {
  std::string output;
  FILE* pipe = ::popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  if (pipe == nullptr) return {"popen failed", -1};
  std::array<char, 4096> buffer{};
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), got);
  }
  return {output, ::pclose(pipe)};
}

// A Python that has h5py and pandas. The first in PATH may be another one than the system's.
inline std::string python() {
  const char* named = std::getenv("RELBIAS_PYTHON");
  for (const std::string candidate :
       {named == nullptr ? "" : named, "/usr/bin/python3", "python3"}) {
    if (!candidate.empty() && run_command(candidate + " -c 'import h5py, pandas'").second == 0) {
      return candidate;
    }
  }
  ADD_FAILURE()
      << "no Python with h5py and pandas: install python3-h5py and python3-pandas, or name "
         "one in RELBIAS_PYTHON";
  return "false";
}

}  // namespace relbias
