// SPDX-License-Identifier: Apache-2.0
// experiments/commands: `relbias table`, the runs of a folder side by side.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "experiments/commands/commands.h"
#include "modalities/plain/check.h"
#include "results/analysis/planning/never_begun.h"
#include "results/print/table.h"
#include "results/print/tuning_table.h"
#include "results/store/merged.h"
#include "results/store/store.h"

namespace relbias::experiments {
namespace {

struct TableCommand {
  std::string folder;
  std::string metric;
  std::string format = "text";
  std::string by;
  std::string against;
  bool deviation = false;
  double at = 1;
  std::string merge;
  bool tuning = false;
};

size_t index_of(const char* kind, const std::string& word, const std::vector<std::string>& words) {
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) unknown_word(kind, word, words);
  return static_cast<size_t>(found - words.begin());
}

// A file of all runs among the files of single runs would be taken for one.
void merge(const RunsRead& read, const TableCommand& command) {
  namespace fs = std::filesystem;
  const std::string file = fs::weakly_canonical(fs::absolute(command.merge)).string();
  const std::string folder = fs::weakly_canonical(fs::absolute(command.folder)).string();
  if (file.starts_with(folder + "/")) {
    input_error("--merge {}: lies in {}, where every .h5 is a run: another folder expected",
                command.merge, command.folder);
  }
  write_merged(file, read.runs);
  std::cerr << fmt::format("relbias: {} runs merged in {}\n", read.runs.size(), command.merge);
}

// Below the tables, as a table is copied and what stood on standard error is not.
std::string note_on_damaged(size_t files, TableFormat format) {
  if (files == 0 || format == TableFormat::csv) return "";
  return fmt::format("\n{}{} not read and not counted, damaged or no run of this version\n",
                     format == TableFormat::latex ? "% " : "",
                     files == 1 ? "1 file was" : fmt::format("{} files were", files));
}

void print_table(const TableCommand& command) {
  const auto format = static_cast<TableFormat>(
      index_of("format", command.format, {"text", "markdown", "latex", "csv"}));
  if (!(command.at > 0) || std::isinf(command.at)) {
    input_error("--at {}: a number above 0 expected, for example 2", command.at);
  }
  if (!command.by.empty() && !command.metric.empty()) {
    input_error("--metric {} with --by {}: ranks are over each task's own metric", command.metric,
                command.by);
  }
  const bool of_tables = command.deviation || !command.against.empty();
  if (of_tables && (!command.by.empty() || format == TableFormat::csv)) {
    input_error("--deviation and --against are for tables of tasks, not for ranks or csv");
  }
  if (command.by.empty() && command.at != 1) {
    input_error(
        "--at {} without --by: all sizes are columns; --by modality, task or relation "
        "expected",
        command.at);
  }
  std::optional<StandingsBy> by;
  if (!command.by.empty()) {
    by = static_cast<StandingsBy>(index_of("column", command.by, {"modality", "task", "relation"}));
  }
  RunsRead read = read_runs(command.folder);
  for (const auto& problem : read.problems) std::cerr << "relbias: " << problem << '\n';
  if (!command.merge.empty()) return merge(read, command);
  if (command.tuning) {
    std::cout << render_tuning(read.runs, format) << note_on_damaged(read.problems.size(), format);
    return;
  }
  add_never_begun(read.runs);
  if (format != TableFormat::csv || by) {
    read.runs = without_trials(read.runs);
    if (read.runs.empty()) {
      input_error("{}: trials only, no runs yet; --tuning shows them", command.folder);
    }
  }
  if (by) {
    std::cout << render_standings(read.runs, *by, command.at, format)
              << note_on_damaged(read.problems.size(), format);
    return;
  }
  try {
    std::cout << render_table(read.runs,
                              {.metric = command.metric,
                               .format = format,
                               .spread = command.deviation ? Spread::deviation : Spread::interval,
                               .against = command.against});
  } catch (const UnknownMetric& unknown) {
    unknown_word("metric", unknown.metric(), unknown.known());
  }
  std::cout << note_on_damaged(read.problems.size(), format);
  if (format == TableFormat::csv) return;
  const StudiesRead studies = read_studies(command.folder);
  for (const auto& problem : studies.problems) std::cerr << "relbias: " << problem << '\n';
  std::cout << render_claims(read.runs, studies.studies, format);
}

}  // namespace

void add_table_command(CLI::App& app, int&) {
  const auto request = std::make_shared<TableCommand>();
  CLI::App* command = app.add_subcommand("table", "The runs of a folder in a table");
  command->add_option("DIR", request->folder, "folder of run files")->required();
  command->add_option("--metric", request->metric, "another than the task's own");
  command->add_option("--format", request->format, "text, markdown, latex or csv")
      ->capture_default_str();
  command->add_flag("--deviation", request->deviation,
                    "standard deviations over seeds in place of 95 % intervals");
  command->add_option("--against", request->against,
                      "an encoding: also what the others differ from it by, with interval and p");
  command->add_option("--by", request->by,
                      "modality, task or relation: ranks of the encodings in each of them");
  command->add_option("--at", request->at, "with --by: size of evaluation / training size")
      ->capture_default_str();
  command->add_flag("--tuning", request->tuning,
                    "the trials instead, by which settings were chosen");
  command->add_option("--merge", request->merge,
                      "write all runs into this HDF5 file instead: tables runs, evaluation, train");
  command->callback([request] { print_table(*request); });
}

}  // namespace relbias::experiments
