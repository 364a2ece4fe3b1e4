// SPDX-License-Identifier: Apache-2.0
// experiments/commands: `relbias table`, the runs of a folder side by side.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "experiments/commands/commands.h"
#include "modalities/check.h"
#include "results/store.h"
#include "results/table.h"

namespace relbias {
namespace {

struct TableCommand {
  std::string folder;
  std::string metric;
  std::string format = "text";
};

TableFormat format_from(const std::string& word) {
  const std::vector<std::string> words{"text", "markdown", "latex", "csv"};
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return static_cast<TableFormat>(i);
  }
  unknown_word("format", word, words);
}

void print_table(const TableCommand& command) {
  const TableFormat format = format_from(command.format);
  const RunsRead read = read_runs(command.folder);
  for (const auto& problem : read.problems) std::cerr << "relbias: " << problem << '\n';
  try {
    std::cout << render_table(read.runs, {command.metric, format});
  } catch (const UnknownMetric& unknown) {
    unknown_word("metric", unknown.metric(), unknown.known());
  }
}

}  // namespace

void add_table_command(CLI::App& app, int&) {
  const auto request = std::make_shared<TableCommand>();
  CLI::App* command = app.add_subcommand("table", "The runs of a folder in a table");
  command->add_option("DIR", request->folder, "folder of run files")->required();
  command->add_option("--metric", request->metric, "another than the task's own");
  command->add_option("--format", request->format, "text, markdown, latex or csv")
      ->capture_default_str();
  command->callback([request] { print_table(*request); });
}

}  // namespace relbias
