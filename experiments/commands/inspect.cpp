// SPDX-License-Identifier: Apache-2.0
// experiments/commands: `relbias inspect`, what one run was and how it ended.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "experiments/commands/commands.h"
#include "results/schema.h"
#include "results/store.h"

namespace relbias {

void add_inspect_command(CLI::App& app, int&) {
  const auto file = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("inspect", "What a run was and how it ended");
  command->add_option("FILE", *file, "a run file, *.h5")->required();
  command->callback([file] {
    const RunRecord run = read_run(*file);
    fmt::print("run {} of study {}: {} {}\n", run.run_id, run.study, to_string(run.status), run.message);
    for (const auto& row : run.evaluation) fmt::print("  {} {} {} {}\n", row.size, row.condition, row.metric, row.value);
  });
}

}  // namespace relbias
