// SPDX-License-Identifier: Apache-2.0
// experiments/launch: starting, watching and ending of run processes.
#include "experiments/launch/runner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <deque>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "experiments/launch/process.h"
#include "experiments/launch/progress.h"
#include "experiments/run/perform.h"
#include "results/schema.h"
#include "results/store/store.h"

namespace relbias::experiments {
namespace {

volatile std::sig_atomic_t interruptions = 0;

void count_interruption(int) { interruptions = interruptions + 1; }

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = count_interruption;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a run that dies before it has read its configuration
}

// The record of a run whose process died without writing one. Its last snapshot stays: what killed
// it, too little memory for instance, need not be there the next time.
RunStatus record_death(const PlannedRun& planned, const std::string& message) {
  const RunLock lock(planned.file);
  RunRecord record =
      new_record(planned.study, planned.run.config, {planned.run.role, planned.run.tuning});
  std::error_code unreadable;
  if (std::filesystem::exists(planned.file, unreadable)) record = read_run(planned.file);
  // It died behind its end, or another call finished it.
  if (is_finished(record.status)) return record.status;
  record.status = RunStatus::failed;
  record.message = message;
  record.finished = utc_time();
  write_run(planned.file, record);
  return record.status;
}

class Launch {
 public:
  Launch(const std::vector<PlannedRun>& runs, const RunnerOptions& options)
      : runs_(runs),
        options_(options),
        progress_(open_runs(), open_steps(), isatty(STDERR_FILENO)) {}

  LaunchResult run() {
    for (size_t i = 0; i < runs_.size(); ++i) {
      if (!runs_[i].finished) waiting_.push_back(i);
    }
    result_.skipped = static_cast<int64_t>(runs_.size() - waiting_.size());
    while (true) {
      while (!stopping_ && !waiting_.empty() && jobs_.size() < max_jobs()) start_next();
      if (jobs_.empty()) break;
      follow_output();
      follow_interruptions();
      progress_.refresh();
    }
    result_.not_run += static_cast<int64_t>(waiting_.size());
    look_for_results();
    result_.interrupted = interruptions > 0;
    return result_;
  }

 private:
  struct Job {
    size_t run;
    std::unique_ptr<ChildProcess> process;
    std::string end;      // what the run said last: done, diverged, interrupted, failed
    std::string message;  // why it failed
    std::deque<std::string> last_errors;
  };

  size_t max_jobs() const { return std::min(static_cast<size_t>(options_.jobs), possible_jobs_); }

  size_t open_runs() const {
    return static_cast<size_t>(std::count_if(
        runs_.begin(), runs_.end(), [](const PlannedRun& planned) { return !planned.finished; }));
  }

  int64_t open_steps() const {
    int64_t steps = 0;
    for (const auto& planned : runs_)
      steps += planned.finished ? 0 : planned.run.config.train.steps;
    return steps;
  }

  void start_next() {
    const size_t run = waiting_.front();
    const PlannedRun& planned = runs_[run];
    Job job{.run = run, .process = nullptr, .end = "", .message = "", .last_errors = {}};
    try {
      job.process = std::make_unique<ChildProcess>(start_of(planned));
    } catch (const std::system_error& error) {  // no more descriptors, processes or memory
      if (!jobs_.empty()) return be_content_with(jobs_.size(), error.what());
      waiting_.pop_front();
      progress_.start(run, planned.run.label, planned.run.config.train.steps);
      fail_dead(job, error.what());
      return account(job);
    }
    waiting_.pop_front();
    jobs_.push_back(std::move(job));
    progress_.start(run, planned.run.label, planned.run.config.train.steps);
  }

  void be_content_with(size_t jobs, const char* reason) {
    possible_jobs_ = jobs;
    if (!std::exchange(said_so_, true))
      progress_.say(fmt::format("{} of {} runs side by side: {}", jobs, options_.jobs, reason));
  }

  ChildProcess::Start start_of(const PlannedRun& planned) const {
    ChildProcess::Start start;
    start.arguments = {"run-one",
                       "--study=" + planned.study,
                       "--file=" + planned.file.string(),
                       "--role=" + planned.run.role,
                       "--device=" + options_.device,
                       fmt::format("--threads={}", options_.threads),
                       fmt::format("--checkpoint-seconds={}", options_.checkpoint_seconds)};
    if (options_.continue_anyway) start.arguments.emplace_back("--continue-anyway");
    if (!planned.run.tuning.empty()) start.arguments.push_back("--tuning=" + planned.run.tuning);
    start.environment = {fmt::format("OMP_NUM_THREADS={}", options_.threads)};
    start.input = planned.run.text;
    return start;
  }

  void follow_output() {
    std::vector<ChildProcess::Stream*> open;
    for (const Job& job : jobs_) {
      for (auto* stream : {&job.process->output(), &job.process->errors()}) {
        if (stream->descriptor >= 0) open.push_back(stream);
      }
    }
    for (auto* stream : wait_for_output(open, 100)) {
      for (Job& job : jobs_) {
        if (stream == &job.process->output()) {
          read_lines(*stream, [&](const std::string& line) { follow_event(job, line); });
        } else if (stream == &job.process->errors()) {
          read_lines(*stream, [&](const std::string& line) { keep_error(job, line); });
        }
      }
    }
    for (auto job = jobs_.begin(); job != jobs_.end();) {
      const bool ended =
          job->process->output().descriptor < 0 && job->process->errors().descriptor < 0;
      if (ended) {
        finish(*job);
        possible_jobs_ = most_jobs;  // what it held is free
      }
      job = ended ? jobs_.erase(job) : std::next(job);
    }
  }

  void follow_event(Job& job, const std::string& line) {
    const auto event = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!event.is_object()) return keep_error(job, line);
    if (event.contains("step")) {
      const auto loss = event["loss"];  // null: not a number
      progress_.step(job.run, event["step"].get<int64_t>(),
                     loss.is_number() ? loss.get<double>() : NAN);
    }
    if (event.contains("continues")) {
      progress_.say(fmt::format("{}: continues at step {}", runs_[job.run].run.label,
                                event["continues"].get<int64_t>()));
    }
    if (event.contains("evaluating")) {
      progress_.evaluating(job.run, event["evaluating"].get<int64_t>());
    }
    job.end = event.value("end", job.end);
    job.message = event.value("message", job.message);
  }

  void keep_error(Job& job, const std::string& line) {
    progress_.say(fmt::format("{}: {}", runs_[job.run].run.label, line));
    job.last_errors.push_back(line);
    if (job.last_errors.size() > 5) job.last_errors.pop_front();
  }

  void finish(Job& job) {
    const int status = job.process->wait();
    // A run that has said how it ended may die while it cleans up: its record is complete.
    if (WIFSIGNALED(status) && job.end.empty()) {
      if (stopping_ || interruptions > 0) {
        job.end = "interrupted";  // by us, the second time or before it could listen
      } else {
        fail_dead(job, fmt::format("killed by signal {} ({}){}", WTERMSIG(status),
                                   strsignal(WTERMSIG(status)),
                                   WTERMSIG(status) == SIGKILL ? ", out of memory?" : ""));
      }
    } else if (job.end.empty()) {
      fail_dead(job, fmt::format("ended with exit code {} and no word", WEXITSTATUS(status)));
    }
    account(job);
  }

  void account(const Job& job) {
    if (job.end == "done") ++result_.ok;
    if (job.end == "diverged") ++result_.diverged;
    if (job.end == "done") ended_.push_back(job.run);
    if (job.end == "failed" || job.end == "unwritable") ++result_.failed;
    if (job.end == "busy") ++result_.busy;
    if (job.end == "interrupted") {
      ++result_.not_run;
      return progress_.drop(job.run);
    }
    const std::string colon = job.message.empty() ? "" : ": " + job.message;
    progress_.finish(job.run, job.end == "busy" ? "busy elsewhere" + colon : job.end + colon);
    if (job.end == "unwritable") progress_.say("nothing can be written: all stop");
    if (job.end == "unwritable" || (job.end == "failed" && options_.fail_fast)) stop(SIGTERM);
  }

  // What ended and is not there any more was removed by somebody, and is no success.
  void look_for_results() {
    for (const size_t run : ended_) {
      std::error_code error;
      if (std::filesystem::exists(runs_[run].file, error)) continue;
      ++result_.failed;
      --result_.ok;
      progress_.say(fmt::format("{}: {} was removed after the run had ended", runs_[run].run.label,
                                runs_[run].file.string()));
    }
  }

  void fail_dead(Job& job, const std::string& death) {
    job.end = "failed";
    job.message = death;
    if (!job.last_errors.empty()) {
      job.message += fmt::format("; last it said: {}", fmt::join(job.last_errors, " | "));
    }
    try {
      job.end = to_string(record_death(runs_[job.run], job.message));
      if (job.end != "failed") job.message.clear();
    } catch (const RunHeld&) {
      job.end = "busy";  // it was given up here, and taken up there
    } catch (const StoreError& error) {
      job.end = "unwritable";
      progress_.say(fmt::format("{}: its failure cannot be recorded: {}", runs_[job.run].run.label,
                                error.what()));
    }
  }

  void follow_interruptions() {
    if (interruptions == interruptions_seen_) return;
    interruptions_seen_ = interruptions;
    if (interruptions == 1) progress_.say("interrupted: every active run saves and stops");
    stop(interruptions == 1 ? SIGTERM : SIGKILL);
  }

  void stop(int signal) {
    stopping_ = true;
    for (const Job& job : jobs_) job.process->signal(signal);
  }

  const std::vector<PlannedRun>& runs_;
  const RunnerOptions& options_;
  Progress progress_;
  std::deque<size_t> waiting_;
  std::vector<Job> jobs_;
  std::vector<size_t> ended_;  // runs that were done
  static constexpr size_t most_jobs = std::numeric_limits<size_t>::max();
  size_t possible_jobs_ = most_jobs;  // as the system has shown
  bool said_so_ = false;
  LaunchResult result_;
  bool stopping_ = false;
  int interruptions_seen_ = 0;
};

}  // namespace

std::string LaunchResult::summary() const {
  std::string text = fmt::format("{} ok, {} failed", ok, failed);
  if (diverged > 0) text += fmt::format(", {} diverged", diverged);
  if (skipped > 0) text += fmt::format(", {} finished before", skipped);
  if (busy > 0) text += fmt::format(", {} busy elsewhere", busy);
  if (not_run > 0) text += fmt::format(", {} not finished", not_run);
  return text;
}

LaunchResult run_all(const std::vector<PlannedRun>& runs, const RunnerOptions& options) {
  handle_signals();
  return Launch(runs, options).run();
}

}  // namespace relbias::experiments
