// SPDX-License-Identifier: Apache-2.0
// experiments/commands: `relbias attend`, attention calls from files.
#include "experiments/attend/attend.h"

#include <CLI/CLI.hpp>

#include "experiments/commands/commands.h"

namespace relbias::experiments {

void add_attend_command(CLI::App& app, int&) {
  struct Files {
    std::vector<std::string> inputs;
    std::string output;
  };
  const auto files = std::make_shared<Files>();
  CLI::App* command = app.add_subcommand(
      "attend", "Attention calls from files, with gradients; `describe attend` has the format");
  command->add_option("CASE", files->inputs, "HDF5 files with q, k, v and an encoding")->required();
  command->add_option("-o,--out", files->output, "HDF5 file to write; of several cases a folder")
      ->required();
  command->callback([files] {
    attend_all({files->inputs.begin(), files->inputs.end()}, files->output);
  });
}

}  // namespace relbias::experiments
