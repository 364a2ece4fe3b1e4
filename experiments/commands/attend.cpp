// SPDX-License-Identifier: Apache-2.0
// experiments/commands: `relbias attend`, one attention call from a file.
#include "experiments/attend/attend.h"

#include <CLI/CLI.hpp>

#include "experiments/commands/commands.h"

namespace relbias::experiments {

void add_attend_command(CLI::App& app, int&) {
  struct Files {
    std::string input, output;
  };
  const auto files = std::make_shared<Files>();
  CLI::App* command = app.add_subcommand(
      "attend", "One attention call from a file, with gradients; `describe attend` has the format");
  command->add_option("CASE", files->input, "HDF5 file with q, k, v and an encoding")->required();
  command->add_option("-o,--out", files->output, "HDF5 file to write")->required();
  command->callback([files] { attend(files->input, files->output); });
}

}  // namespace relbias::experiments
