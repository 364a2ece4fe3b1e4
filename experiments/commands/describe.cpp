// SPDX-License-Identifier: Apache-2.0
// experiments/commands: `relbias describe`, everything there is to know about a name.

#include <CLI/CLI.hpp>
#include <iostream>

#include "experiments/commands/commands.h"
#include "experiments/study/describe/description.h"

namespace relbias::experiments {

void add_describe_command(CLI::App& app, int&) {
  const auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "describe",
      "Formula, source, options and defaults of an encoding, relation, dataset or task; "
      "a study, by its name or path; `study`, what one is made of; or `config`, every setting");
  command
      ->add_option("NAME", *name, "a name that `relbias list` shows, a .toml file, study or config")
      ->required();
  command->callback([name] { std::cout << describe(*name); });
}

}  // namespace relbias::experiments
