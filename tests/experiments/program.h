// SPDX-License-Identifier: Apache-2.0
// tests/experiments: the built program, called as a user calls it.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/scratch_folder.h"

namespace relbias::experiments {

struct ProgramResult {
  int exit_code = -1;
  std::string output;  // standard output
  std::string errors;  // standard error
};

inline std::string text_of_file(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Runs `relbias ARGUMENTS` in a shell, in a folder. The program stands beside the tests'.
inline ProgramResult run_program(const std::string& arguments, const ScratchFolder& folder,
                                 const std::string& before = "") {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").replace_filename("relbias");
  const std::string in = "cd '" + folder.path().string() + "' && ";
  const std::string command = in + before + " '" + program.string() + "' " + arguments +
                              " >stdout.txt 2>stderr.txt </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          text_of_file(folder.path() / "stdout.txt"), text_of_file(folder.path() / "stderr.txt")};
}

}  // namespace relbias::experiments
