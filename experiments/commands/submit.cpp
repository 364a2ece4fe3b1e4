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

std::string run_words(const SubmitCommand& command) {
  std::string words = "run";
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
std::string script_for(const SubmitCommand& command, int64_t runs) {
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
  script +=
      fmt::format("exec {} {} --jobs 1 --shard \"$SLURM_ARRAY_TASK_ID/{}\"\n",
                  quoted(fs::read_symlink("/proc/self/exe").string()), run_words(command), tasks);
  return script;
}

int submit(const SubmitCommand& command) {
  if (!command.slurm) input_error("submit: --slurm expected, the only scheduler there is");
  std::vector<Study> studies;
  for (const auto& name : command.studies) studies.push_back(load_study(name));
  std::vector<PlannedRun> runs = plan(studies, command.selection, {1, 1});
  const std::string script = script_for(command, static_cast<int64_t>(runs.size()));
  if (command.dry_run) {
    std::cout << script;
    return 0;
  }
  place(runs, command.out);
  const fs::path file = fs::absolute(command.out) / "submit.sh";
  replace_file(file, script);
  const int status = std::system(("sbatch " + quoted(file.string())).c_str());
  if (status != 0) {
    input_error("sbatch failed; the job script is {}: submit it where Slurm is", file.string());
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
