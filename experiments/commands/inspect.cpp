// SPDX-License-Identifier: Apache-2.0
// experiments/commands: `relbias inspect`, what one run was and how it ended.
#include "results/print/inspect.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "experiments/commands/commands.h"
#include "results/store/store.h"

namespace relbias::experiments {

void add_inspect_command(CLI::App& app, int&) {
  const auto file = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("inspect", "What a run was and how it ended");
  command->add_option("FILE", *file, "a run file, *.h5")->required();
  command->callback([file] { std::cout << render_run(read_run(*file)); });
}

}  // namespace relbias::experiments
