// SPDX-License-Identifier: Apache-2.0
// experiments: the program `relbias`. Results go to standard output, all else to standard error.
// Exit codes: 0 ok, 1 some run failed or a fault of ours, 2 wrong usage, 130 interrupted.
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "experiments/commands/commands.h"
#include "experiments/version.h"
#include "modalities/check.h"
#include "results/record.h"

namespace {

using relbias::unknown_word;

// The library says what it did not expect; we say what was meant.
void refuse_unknown_words(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const CLI::App* chosen = nullptr;
  std::vector<std::string> commands;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == argv[1]) chosen = command;
    if (!command->get_group().empty()) commands.push_back(command->get_name());
  }
  if (chosen == nullptr) unknown_word("command", argv[1], commands);
  std::vector<std::string> flags;
  for (const auto* option : chosen->get_options()) {
    for (const auto& name : option->get_lnames()) flags.push_back("--" + name);
  }
  for (int i = 2; i < argc; ++i) {
    std::string word = argv[i];
    word = word.substr(0, word.find('='));
    if (word == "--") return;
    const bool is_flag = word.starts_with("--");
    if (is_flag && std::find(flags.begin(), flags.end(), word) == flags.end()) {
      unknown_word(fmt::format("option of relbias {}", argv[1]), word, flags);
    }
  }
}

int run_program(int argc, char** argv) {
  CLI::App app("relbias: a benchmark harness for relative position encodings", "relbias");
  app.require_subcommand(1);
  app.set_version_flag("--version", relbias::git_commit());
  int exit_code = 0;
  relbias::add_run_command(app, exit_code);
  relbias::add_run_one_command(app, exit_code);
  relbias::add_list_command(app, exit_code);
  relbias::add_describe_command(app, exit_code);
  relbias::add_terms_command(app, exit_code);
  relbias::add_attend_command(app, exit_code);
  relbias::add_table_command(app, exit_code);
  relbias::add_inspect_command(app, exit_code);
  relbias::add_submit_command(app, exit_code);
  relbias::add_reproduce_command(app, exit_code);
  relbias::add_report_command(app, exit_code);
  refuse_unknown_words(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? 0 : 2;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const relbias::InputError& error) {
    fmt::print(stderr, "relbias: {}\n", error.what());
    return 2;
  } catch (const relbias::StoreError& error) {
    fmt::print(stderr, "relbias: {}\n", error.what());
    return 2;
  } catch (const c10::Error& error) {
    fmt::print(stderr, "relbias: a fault of the program, please report it: {}\n", error.what());
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "relbias: a fault of the program, please report it: {}\n", error.what());
    return 1;
  }
}
