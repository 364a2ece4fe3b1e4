// SPDX-License-Identifier: Apache-2.0
// experiments/commands: `relbias run`, every run of some studies.
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <set>
#include <thread>

#include "experiments/commands/commands.h"
#include "experiments/commands/run_studies.h"
#include "experiments/model/positions.h"
#include "experiments/run/device.h"
#include "experiments/tuning/choice.h"

namespace relbias::experiments {
namespace {

int64_t cores() { return std::max<int64_t>(1, std::thread::hardware_concurrency()); }

// OMP_NUM_THREADS, as users and job scripts set it for a process (4, or 4,2 for nested regions).
std::optional<int64_t> wanted_threads() {
  const char* const text = std::getenv("OMP_NUM_THREADS");
  const int64_t threads = text == nullptr ? 0 : std::atoll(text);
  return threads > 0 ? std::optional(threads) : std::nullopt;
}

// The runs that are to be done side by side, and the threads that each has.
void divide_cores(const StudiesRequest& command, int64_t open_runs, RunnerOptions& runner) {
  const bool gpu = choose_device(runner.device).is_cuda();
  const std::optional<int64_t> threads = wanted_threads();
  const int64_t jobs = command.jobs.value_or(gpu ? 1 : cores() / threads.value_or(1));
  runner.jobs = std::max<int64_t>(1, std::min(jobs, open_runs));
  runner.threads = threads.value_or(std::max<int64_t>(1, cores() / runner.jobs));
}

// What was read and what was left out, once a dataset.
void tell_of_data(const std::vector<PlannedRun>& runs) {
  std::set<std::string> told;
  for (const PlannedRun& planned : runs) {
    const std::string& report = planned.dataset_report;
    if (!report.empty() && told.insert(report).second) std::cerr << "data: " << report << '\n';
  }
}

void tell_of_positions(const std::vector<PlannedRun>& runs) {
  std::set<std::string> told;
  for (const PlannedRun& planned : runs) {
    const RunConfig& config = planned.run.config;
    const auto& task = find_entry("task", config.data.task.name(), task_entries());
    for (const auto& caveat : position_caveats(config.model.positions, task.relation)) {
      if (told.insert(caveat).second) std::cerr << "note: " << caveat << '\n';
    }
  }
}

// Whether the text and the plan of each study still lie beside its runs.
bool is_all_there(const std::vector<Study>& studies, const std::string& out) {
  bool all = true;
  for (const Study& study : studies) {
    const auto folder = std::filesystem::path(out) / study.name;
    for (const char* ending : {".toml", ".plan.json"}) {
      const auto file = folder / (study.name + ending);
      std::error_code error;
      if (std::filesystem::exists(file, error)) continue;
      all = false;
      std::cerr << "relbias: " << file.string()
                << " was removed while the study ran: give the same "
                << "command again, which writes it and runs what is missing\n";
    }
  }
  return all;
}

// On a GPU `auto` is the reference: fused computes on CPUs alone, and a run is named by what
// computes it.
void settle_backend(const std::vector<Study>& studies, StudiesRequest& command) {
  if (!choose_device(command.runner.device).is_cuda()) return;
  const std::string key = "model.backend";
  for (const Study& study : studies) {
    for (const Part& part : study.parts) {
      if (part.base.contains(key) || std::ranges::count(part.sweep, key, &Axis::key) > 0) return;
    }
  }
  for (const std::string& set : command.selection.set) {
    if (set.starts_with(key)) return;
  }
  command.selection.set.push_back(key + "=\"reference\"");
}

// Runs what is not finished of these; returns the exit code.
int run_planned(const std::vector<Study>& studies, std::vector<PlannedRun>& runs,
                const StudiesRequest& command) {
  for (const Study& study : studies) keep_text(study, command.out);
  if (const int64_t earlier = earlier_files(runs); earlier > 0) {
    std::cerr << "relbias: " << earlier << " files of an earlier program (schema 1) are beside "
              << "the runs: their runs are repeated, and no verdict rests on them\n";
  }
  const auto open = std::count_if(runs.begin(), runs.end(),
                                  [](const PlannedRun& planned) { return !planned.finished; });
  RunnerOptions runner = command.runner;
  divide_cores(command, open, runner);
  const LaunchResult result = run_all(runs, runner);
  const bool trials = !runs.empty() && runs.front().run.role == "trial";
  std::cout << (trials ? "trials: " : "") << result.summary() << "; results in " << command.out
            << std::endl;
  if (result.interrupted) std::cerr << "relbias: give the same command again to go on\n";
  if (result.interrupted) return 130;
  const bool complete = is_all_there(studies, command.out);
  return result.failed > 0 || result.not_run > 0 || !complete ? 1 : 0;
}

// What the trials chose; nothing while some are not finished, other shards' perhaps.
std::optional<ChoicesOf> chosen(const std::vector<Study>& studies, const StudiesRequest& command) {
  ChoicesOf choices;
  int64_t trials = 0, unfinished = 0;
  for (const Study& study : studies) {
    ChoicesMade made = choices_made(study, command.selection, command.out);
    trials += made.trials;
    unfinished += made.unfinished;
    choices[study.name] = std::move(made.choices);
  }
  if (unfinished == 0) return choices;
  std::cerr << fmt::format(
      "relbias: {} of {} trials are not finished, and the runs wait for all of them: give the same "
      "command again when they are\n",
      unfinished, trials);
  return std::nullopt;
}

}  // namespace

int run_studies(StudiesRequest& command) {
  at::set_num_threads(1);  // this process plans and watches; its children compute
  const Shard shard = parse_shard(command.shard);
  std::vector<Study> studies;
  for (const auto& name : command.studies) studies.push_back(load_study(name));
  settle_backend(studies, command);
  std::vector<PlannedRun> trials = plan_trials(studies, command.selection, shard);
  std::vector<PlannedRun> runs = plan(studies, command.selection, shard);
  tell_of_data(runs);
  tell_of_positions(runs);
  const bool is_tuned = std::ranges::any_of(
      studies, [&](const Study& study) { return !tuned_cells(study, command.selection).empty(); });
  if (command.trials_only && !is_tuned) input_error("tune: none of the studies has a table `tune`");
  if (command.dry_run) {
    find(trials, command.out);
    find(runs, command.out);
    if (is_tuned) std::cout << plan_table(trials);
    if (!command.trials_only) std::cout << plan_table(runs);
    return 0;
  }
  const auto keep_plans = [&](const ChoicesOf& choices) {
    for (const Study& study : studies) keep_plan(study, command.selection, choices, command.out);
  };
  place(is_tuned ? trials : runs, command.out);
  keep_plans({});
  if (!is_tuned) return run_planned(studies, runs, command);
  if (const int code = trials.empty() ? 0 : run_planned(studies, trials, command); code != 0)
    return code;
  const std::optional<ChoicesOf> choices = chosen(studies, command);
  if (!choices) return 1;
  if (command.trials_only) return 0;
  runs = plan(studies, command.selection, shard, *choices);
  place(runs, command.out);
  keep_plans(*choices);
  return run_planned(studies, runs, command);
}

void add_run_options(CLI::App& command, StudiesRequest& request) {
  command.add_option("--out", request.out, "folder for the results")->capture_default_str();
  command
      .add_option("--set", request.selection.set,
                  "key=value: replaces a setting, pins a swept one; may be repeated")
      ->allow_extra_args(false);
  command
      .add_option("--only", request.selection.only,
                  "key=value,value: keeps these values of the sweep, part=NAME these parts; may be "
                  "repeated")
      ->allow_extra_args(false);
  command.add_option("--device", request.runner.device, "auto, cpu or cuda")->capture_default_str();
  const CLI::Range positive(int64_t{1}, int64_t{1} << 20);
  command
      .add_option("--jobs", request.jobs,
                  "runs side by side; each has OMP_NUM_THREADS threads, or its part of the cores")
      ->check(positive);
  command
      .add_option("--checkpoint-seconds", request.runner.checkpoint_seconds,
                  "between two snapshots of a running run")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e9));
  command.add_flag("--smoke", request.selection.smoke, "the study's smoke size");
  command.add_flag("--dry-run", request.dry_run, "list the runs and what they cost, run nothing");
  command.add_flag("--continue-anyway", request.runner.continue_anyway,
                   "go on with runs that another program or other data began; they record it");
  command.add_flag("--fail-fast", request.runner.fail_fast, "stop at the first failed run");
}

void add_run_command(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<StudiesRequest>();
  CLI::App* command = app.add_subcommand("run", "Run studies; what is finished is skipped");
  command->add_option("STUDY", request->studies, "names (relbias list studies) or .toml files")
      ->required();
  command->add_option("--shard", request->shard, "i/n: the i-th of n equal parts of the runs");
  add_run_options(*command, *request);
  command->footer(
      "Ends with 0 where every run has ended: a run that diverged is a result, and one that "
      "another "
      "process runs is left to it. 1: a run failed or could not be written. 2: the command or a "
      "study "
      "is wrong. 130: interrupted.");
  command->callback([request, &exit_code] { exit_code = run_studies(*request); });
}

void add_tune_command(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<StudiesRequest>();
  request->trials_only = true;
  CLI::App* command =
      app.add_subcommand("tune", "Only the trials by which studies choose settings");
  command->add_option("STUDY", request->studies, "names (relbias list studies) or .toml files")
      ->required();
  command->add_option("--shard", request->shard, "i/n: the i-th of n equal parts of the trials");
  add_run_options(*command, *request);
  command->callback([request, &exit_code] { exit_code = run_studies(*request); });
}

}  // namespace relbias::experiments
