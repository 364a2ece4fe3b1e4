// SPDX-License-Identifier: Apache-2.0
// experiments/commands: `relbias report`, the runs of a folder as one page.
#include "results/report/report.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "experiments/commands/commands.h"
#include "modalities/plain/check.h"
#include "modalities/plain/files.h"

namespace relbias::experiments {
namespace {

// Where experiments/setup puts the library that draws the figures.
std::string read_plotly() {
  const auto file = data_folder().parent_path() / "plotly-6.3.0" / "plotly.min.js";
  if (!std::filesystem::exists(file)) {
    input_error("{}: missing; experiments/setup fetches it", file.string());
  }
  return read_file(file);
}

struct ReportCommand {
  std::string folder;
  std::string out = "report.html";
};

void report(const ReportCommand& command) {
  ReportInput input = read_report_input(command.folder);
  for (const auto& problem : input.problems) std::cerr << "relbias: " << problem << '\n';
  input.plotly = read_plotly();
  const Report made = make_report(input);
  write_report(command.out, made);
  std::cout << command.out << '\n';
}

}  // namespace

void add_report_command(CLI::App& app, int&) {
  const auto request = std::make_shared<ReportCommand>();
  CLI::App* command =
      app.add_subcommand("report", "The runs of a folder as one page, with figures; no network");
  command->add_option("DIR", request->folder, "folder of run files")->required();
  command->add_option("-o,--out", request->out, "the page; figures go beside it as JSON")
      ->capture_default_str();
  command->callback([request] { report(*request); });
}

}  // namespace relbias::experiments
