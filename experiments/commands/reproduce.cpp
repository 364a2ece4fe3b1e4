// SPDX-License-Identifier: Apache-2.0
// experiments/commands: `relbias reproduce`, a published table's study and its numbers beside ours.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "experiments/commands/commands.h"
#include "experiments/commands/run_studies.h"
#include "experiments/published/tables.h"
#include "experiments/study/shipped.h"
#include "modalities/plain/files.h"
#include "results/analysis/planning/never_begun.h"
#include "results/claims/published.h"
#include "results/claims/study_text.h"
#include "results/print/tuning_table.h"
#include "results/store/store.h"

namespace relbias::experiments {
namespace {

namespace fs = std::filesystem;

struct ReproduceCommand {
  std::string name;
  bool scaled = false;
  StudiesRequest run;
};

fs::path study_of(const std::string& table, bool scaled) {
  const fs::path studies = shipped_folder("published") / "studies";
  return scaled ? studies / "scaled" / (table + "-scaled.toml")
                : studies / "full" / (table + ".toml");
}

// The study of a table claims what the table does, so that tables and reports of its runs say so.
void keep_claims(const Published& table, const fs::path& study) {
  const std::string text = read_file(study);
  if (text.find("[[claim]]") != std::string::npos) return;
  write_study_text(
      study, text + "\n# Orderings of the published table.\n" + claims_as_toml(our_claims(table)));
}

int reproduce(ReproduceCommand& command) {
  const Published table = read_published(command.name);
  const fs::path file = study_of(command.name, command.scaled);
  const std::string study = file.stem();
  if (!fs::exists(file)) {
    input_error("{}: no study of ours re-runs it{}", command.name,
                command.scaled ? "" : "; is there one with --scaled?");
  }
  command.run.studies = {file.string()};
  int code = 0;
  try {
    code = run_studies(command.run);
  } catch (const InputError& error) {
    std::cout << as_text(table) << '\n';  // what there is to compare with, even without the data
    if (command.scaled || table.ours.data.empty()) throw;
    input_error(
        "{}\nThe data of this table: {}\nOn data that is here: relbias reproduce {} --scaled",
        error.what(), table.ours.data, command.name);
  }
  if (command.run.dry_run || code == 130) return code;
  keep_claims(table, fs::path(command.run.out) / study / (study + ".toml"));
  RunsRead read = read_runs(fs::path(command.run.out) / study);
  add_never_begun(read.runs);
  for (const auto& problem : read.problems) std::cerr << "relbias: " << problem << '\n';
  std::cout << '\n' << side_by_side(table, without_trials(read.runs), study);
  return code;
}

}  // namespace

void add_reproduce_command(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<ReproduceCommand>();
  CLI::App* command = app.add_subcommand(
      "reproduce", "Run a published table's study; its numbers and orderings beside ours");
  command->add_option("NAME", request->name, "a table of experiments/published")->required();
  command->add_flag("--scaled", request->scaled, "small, on data that is here, for two cores");
  add_run_options(*command, request->run);
  command->callback([request, &exit_code] { exit_code = reproduce(*request); });
}

}  // namespace relbias::experiments
