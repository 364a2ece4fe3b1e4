// SPDX-License-Identifier: Apache-2.0
// experiments/commands: `relbias run-one`, one run in a process of its own. Hidden: `relbias run`
// starts it with the configuration on standard input and reads its events, one JSON object a line.
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "experiments/commands/commands.h"
#include "experiments/config/settings.h"
#include "experiments/run/perform.h"
#include "results/store/store.h"

namespace relbias::experiments {
namespace {

volatile std::sig_atomic_t stop_wanted = 0;

void stop_at_safe_point(int) { stop_wanted = 1; }

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = stop_at_safe_point;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // whoever reads the events may be gone; the run is worth saving
  const pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (parent != getppid()) stop_wanted = 1;  // it died in between
}

void tell(const nlohmann::json& event) {
  std::cout << event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
}

RunConfig config_from_input() {
  return read_config_text({std::istreambuf_iterator<char>(std::cin), {}}, "configuration");
}

Watcher event_watcher() {
  using Clock = std::chrono::steady_clock;
  Watcher watcher;
  watcher.on_step = [last = Clock::time_point()](int64_t step, double loss) mutable {
    if (Clock::now() - last < std::chrono::milliseconds(200)) return;
    last = Clock::now();
    tell({{"step", step}, {"loss", loss}});
  };
  watcher.on_evaluation = [last = int64_t{0}](int64_t size) mutable {
    if (size != last) tell({{"evaluating", size}});
    last = size;
  };
  watcher.on_continue = [](int64_t step) { tell({{"continues", step}}); };
  watcher.wants_stop = [] { return stop_wanted != 0; };
  return watcher;
}

const char* name_of(RunEnd end) {
  switch (end) {
    case RunEnd::done:
      return "done";
    case RunEnd::diverged:
      return "diverged";
    case RunEnd::interrupted:
      return "interrupted";
  }
  return "";
}

int run_one(const RunRequest& request) {
  try {
    const RunEnd end = perform(request, event_watcher());
    const bool diverged = end == RunEnd::diverged;
    tell({{"end", name_of(end)},
          {"message", diverged ? read_run(request.file, RunParts::numbers).message : ""}});
    return end == RunEnd::interrupted ? 130 : 0;
  } catch (const RunBusy& error) {
    tell({{"end", "busy"}, {"message", error.what()}});
    return 0;
  } catch (const StoreError& error) {  // the disk is full, the folder gone: no run can be kept
    tell({{"end", "unwritable"}, {"message", error.what()}});
    return 1;
  } catch (const std::exception& error) {
    tell({{"end", "failed"}, {"message", error.what()}});
    return 1;
  }
}

}  // namespace

void add_run_one_command(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<RunRequest>();
  CLI::App* command = app.add_subcommand("run-one", "One run, its configuration on standard input");
  command->group("");  // hidden
  command->add_option("--study", request->study)->required();
  command->add_option("--file", request->file)->required();
  command->add_option("--role", request->role.name);
  command->add_option("--tuning", request->role.tuning);
  command->add_option("--device", request->device);
  command->add_option("--threads", request->threads);
  command->add_option("--checkpoint-seconds", request->checkpoint_seconds);
  command->add_flag("--continue-anyway", request->continue_anyway);
  command->callback([request, &exit_code] {
    handle_signals();
    request->config = config_from_input();
    exit_code = run_one(*request);
  });
}

}  // namespace relbias::experiments
