// SPDX-License-Identifier: Apache-2.0
// experiments/commands: `relbias submit`, a study as a job array of Slurm.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>

#include "experiments/commands/commands.h"
#include "experiments/study/plan.h"
#include "results/store/disk/run_file.h"

namespace relbias::experiments {
namespace {

namespace fs = std::filesystem;

struct SubmitCommand {
  std::vector<std::string> studies;
  Selection selection;
  std::string out = "runs";
  bool slurm = false;
  bool dry_run = false;
  int64_t tasks = 100;
  int64_t cores = 4;
  int64_t gpus = 0;
  std::string memory = "8G";
  std::string time = "04:00:00";
  std::string partition;
};

// For a shell, whatever a path or a setting holds.
std::string quoted(const std::string& word) {
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// `verb`: run or tune.
std::string run_words(const SubmitCommand& command, const std::string& verb) {
  std::string words = verb;
  for (const auto& study : command.studies) {
    const bool is_path = study.ends_with(".toml");
    words += " " + quoted(is_path ? fs::absolute(study).string() : study);
  }
  for (const auto& text : command.selection.set) words += " --set " + quoted(text);
  for (const auto& text : command.selection.only) words += " --only " + quoted(text);
  return words + " --out " + quoted(fs::absolute(command.out).string());
}

// Each task of the array is one shard; what is finished or interrupted is found by its file, so
// that the same script can be submitted again.
std::string script_for(const SubmitCommand& command, const std::string& verb, int64_t runs) {
  const int64_t tasks = std::min(runs, command.tasks);
  std::string script = "#!/usr/bin/env bash\n";
  script += fmt::format("#SBATCH --job-name=relbias\n#SBATCH --array=1-{}\n", tasks);
  script += fmt::format("#SBATCH --cpus-per-task={}\n#SBATCH --mem={}\n#SBATCH --time={}\n",
                        command.cores, command.memory, command.time);
  if (command.gpus > 0) script += fmt::format("#SBATCH --gpus={}\n", command.gpus);
  if (!command.partition.empty()) script += "#SBATCH --partition=" + command.partition + "\n";
  script += fmt::format("#SBATCH --output={}\n",
                        quoted(fs::absolute(command.out).string() + "/slurm-%A-%a.log"));
  script += "#SBATCH --signal=B:TERM@120\n";  // B: this script, which becomes relbias by exec
  script += "export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK\n";
  script += fmt::format("exec {} {} --jobs 1 --shard \"$SLURM_ARRAY_TASK_ID/{}\"\n",
                        quoted(fs::read_symlink("/proc/self/exe").string()),
                        run_words(command, verb), tasks);
  return script;
}

// The script of the trials, where there are any, and of the runs.
struct Scripts {
  std::string trials, runs;
};

Scripts scripts_for(const SubmitCommand& command) {
  std::vector<Study> studies;
  for (const auto& name : command.studies) studies.push_back(load_study(name));
  const std::vector<PlannedRun> trials = plan_trials(studies, command.selection, {1, 1});
  std::vector<PlannedRun> runs = plan(studies, command.selection, {1, 1});
  Scripts scripts{.trials = "", .runs = script_for(command, "run", std::ssize(runs))};
  if (!trials.empty()) scripts.trials = script_for(command, "tune", std::ssize(trials));
  if (!command.dry_run) place(runs, command.out);
  return scripts;
}

// The number of the job that sbatch says; runs begin after it, however its tasks end: they say
// themselves which trials are missing.
std::string command_line(const std::string& trials, const std::string& runs) {
  if (trials.empty()) return "sbatch " + quoted(runs);
  return fmt::format(
      "set -o pipefail; job=$(sbatch --parsable {} | cut -d';' -f1) && "
      "echo \"trials: job $job\" && sbatch --dependency=afterany:$job {}",
      quoted(trials), quoted(runs));
}

int submit(const SubmitCommand& command) {
  if (!command.slurm) input_error("submit: --slurm expected, the only scheduler there is");
  const Scripts scripts = scripts_for(command);
  if (command.dry_run) {
    std::cout << scripts.trials << (scripts.trials.empty() ? "" : "\n") << scripts.runs;
    return 0;
  }
  const fs::path out = fs::absolute(command.out), runs = out / "submit.sh";
  const fs::path trials = scripts.trials.empty() ? fs::path() : out / "submit-tune.sh";
  replace_file(runs, scripts.runs);
  if (!trials.empty()) replace_file(trials, scripts.trials);
  const std::string line = command_line(trials.string(), runs.string());
  const int status = std::system(("bash -c " + quoted(line)).c_str());
  if (status != 0) {
    input_error("sbatch failed; the job script is {}: submit it where Slurm is{}", runs.string(),
                trials.empty() ? "" : ", after " + trials.string());
  }
  return 0;
}

}  // namespace

void add_submit_command(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<SubmitCommand>();
  CLI::App* command = app.add_subcommand("submit", "Hand studies to Slurm as a job array");
  command->add_option("STUDY", request->studies, "names or .toml files")->required();
  command->add_flag("--slurm", request->slurm, "the scheduler");
  command->add_option("--out", request->out, "folder for the results, seen by every node")
      ->capture_default_str();
  command->add_option("--set", request->selection.set, "as of relbias run")
      ->allow_extra_args(false);
  command->add_option("--only", request->selection.only, "as of relbias run")
      ->allow_extra_args(false);
  const CLI::Range positive(int64_t{1}, int64_t{1} << 20);
  command->add_option("--tasks", request->tasks, "of the array, at most; a task does several runs")
      ->capture_default_str()
      ->check(positive);
  command->add_option("--cores", request->cores, "of a task")
      ->capture_default_str()
      ->check(positive);
  command->add_option("--gpus", request->gpus, "of a task")->capture_default_str();
  command->add_option("--mem", request->memory, "of a task")->capture_default_str();
  command->add_option("--time", request->time, "of a task, at most")->capture_default_str();
  command->add_option("--partition", request->partition, "of the cluster");
  command->add_flag("--dry-run", request->dry_run, "print the job script, submit nothing");
  command->callback([request, &exit_code] { exit_code = submit(*request); });
}

}  // namespace relbias::experiments
