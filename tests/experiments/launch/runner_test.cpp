// SPDX-License-Identifier: Apache-2.0
// tests/experiments/launch: sweeps of run processes that end well, fail, are killed or interrupted.
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <functional>
#include <thread>

#include "results/store/store.h"
#include "tests/experiments/program.h"
#include "tests/experiments/studies.h"

namespace relbias::experiments {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Runner : public testing::Test {
 protected:
  void write_study(const std::string& more) const { folder_.write("tiny.toml", tiny_study(more)); }
  ProgramResult run(const std::string& arguments) const {
    return run_program("run tiny.toml --out out " + arguments, folder_);
  }
  std::map<RunStatus, int> statuses() const {
    std::map<RunStatus, int> count;
    for (const auto& record : read_runs(folder_.path() / "out").runs) ++count[record.status];
    return count;
  }

  ScratchFolder folder_;
};

TEST_F(Runner, RunsASweepOnce) {
  write_study("[sweep]\nseed = [0, 1, 2]\n");
  const ProgramResult first = run("--jobs 2");
  EXPECT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_THAT(first.output, HasSubstr("3 ok, 0 failed; results in out"));
  EXPECT_EQ(statuses()[RunStatus::done], 3);
  const ProgramResult second = run("");
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_THAT(second.output, HasSubstr("0 ok, 0 failed, 3 finished before"));
}

// One sample of a million tokens: no machine has the memory for the reference's attention to it.
const char* const too_large_in_between = "[sweep]\n\"train.size\" = [12, 1000000, 13]\n";

// Seen elsewhere: one failing run that ends the others. The others go on, the failure stands in the
// run's own record.
TEST_F(Runner, OneFailingRunDoesNotStopTheOthers) {
  write_study(too_large_in_between);
  const ProgramResult result = run("--jobs 1 --set train.batch=1 --set model.backend=reference");
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("2 ok, 1 failed"));
  EXPECT_THAT(result.errors, HasSubstr("1000000 queries and 1000000 keys needs"));
  EXPECT_EQ(statuses()[RunStatus::done], 2);
  EXPECT_EQ(statuses()[RunStatus::failed], 1);
}

TEST_F(Runner, FailFastStopsAtTheFirstFailure) {
  write_study(too_large_in_between);
  const ProgramResult result =
      run("--jobs 1 --fail-fast --set train.batch=1 --set model.backend=reference");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("1 ok, 1 failed, 1 not finished"));
}

// A full disk as a process meets it: writing stops at a limit.
TEST_F(Runner, ADiskThatIsFullIsAFailureWithoutAFile) {
  write_study("");
  const ProgramResult result = run_program("run tiny.toml --out out", folder_, "ulimit -f 8; exec");
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("0 ok, 1 failed"));
  EXPECT_THAT(result.errors, HasSubstr("File too large"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path() / "out")) {
    EXPECT_NE(entry.path().extension(), ".h5") << entry.path();
    EXPECT_EQ(entry.path().filename().string().find(".tmp"), std::string::npos) << entry.path();
  }
}

TEST_F(Runner, DivergedRunsAreNoFailures) {
  write_study("[sweep]\n\"train.learning_rate\" = [1e-3, 1e30]\n");
  const ProgramResult result = run("");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("1 ok, 0 failed, 1 diverged"));
  EXPECT_THAT(result.errors, HasSubstr("is not finite"));
  EXPECT_THAT(run("").output, HasSubstr("2 finished before"));
}

// Runs with so many descriptors, without those that whoever runs the tests leaves open. In a shell
// of its own: the outer one redirects its outputs by way of descriptor 10.
ProgramResult run_with_descriptors(int most, const ScratchFolder& folder) {
  const std::string shell =
      R"(bash -c 'for fd in /proc/$$/fd/*; do )"
      R"([ "${fd##*/}" -gt 2 ] && eval "exec ${fd##*/}>&-"; done; ulimit -n )" +
      std::to_string(most) + R"(; exec "$0" "$@"')";
  return run_program("run tiny.toml --out out --jobs 6 --device cpu", folder, shell);
}

// Each process takes two descriptors for good, and six while it is started.
TEST_F(Runner, FewerRunsSideBySideWhereNoMoreCanBeStarted) {
  write_study("[sweep]\nseed = [0, 1, 2, 3, 4, 5]\n");
  const ProgramResult result = run_with_descriptors(14, folder_);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("6 ok, 0 failed"));
  EXPECT_THAT(result.errors, HasSubstr(" of 6 runs side by side: pipe: Too many open files"));
  EXPECT_EQ(statuses()[RunStatus::done], 6);
}

TEST_F(Runner, RunsOfWhichNoneCanBeStartedAreRecordedAsFailed) {
  write_study("[sweep]\nseed = [0, 1]\n");
  const ProgramResult result = run_with_descriptors(8, folder_);
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("0 ok, 2 failed"));
  const auto records = read_runs(folder_.path() / "out").runs;
  ASSERT_EQ(records.size(), 2u);
  for (const auto& record : records) {
    EXPECT_EQ(record.status, RunStatus::failed);
    EXPECT_EQ(record.message, "pipe: Too many open files");
  }
}

// A job script sets it to what the job may use, however many cores the machine has.
TEST_F(Runner, ARunHasTheThreadsThatOmpNumThreadsAllows) {
  write_study("");
  for (const auto& [allowed, threads] :
       std::vector<std::pair<std::string, int64_t>>{{"1", 1}, {"3", 3}, {"2,1", 2}}) {
    const std::string out = "threads-" + std::to_string(threads);
    const ProgramResult result =
        run_program("run tiny.toml --jobs 1 --out " + out, folder_, "OMP_NUM_THREADS=" + allowed);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(read_runs(folder_.path() / out).runs.at(0).threads, threads) << allowed;
  }
}

// Sends a signal to the process whose id the file holds, once it trains: a shell writes the id,
// the run file says that training began.
class RunnerUnderSignals : public Runner {
 protected:
  void SetUp() override {
    write_study("[sweep]\nseed = [0, 1]\n");
    start();
    wait_until([this] { return !run_of_seed(0).train.empty(); });
  }
  void TearDown() override { finish(); }
  void start() {
    run_ = std::thread([this]() {
      result_ = run_program(
          "run tiny.toml --out out --jobs 1 --checkpoint-seconds 0 "
          "--set train.steps=" +
              std::to_string(steps_),
          folder_, "echo $$ >shell.pid; exec");
    });
  }
  void finish() {
    if (run_.joinable()) run_.join();
  }
  pid_t program() const { return std::stoi(text_of_file(folder_.path() / "shell.pid")); }
  // The first child of the program.
  pid_t child() const {
    const std::string pid = std::to_string(program());
    return std::stoi(text_of_file("/proc/" + pid + "/task/" + pid + "/children"));
  }
  RunRecord run_of_seed(int64_t seed) const {
    for (const auto& record : read_runs(folder_.path() / "out", RunParts::all).runs) {
      if (record.seed == seed) return record;
    }
    throw StoreError("no record of seed " + std::to_string(seed));
  }
  // Gives up after a minute, or a little more.
  static void wait_until(const std::function<bool()>& is_so) {
    for (int tries = 0; tries < 3000; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      try {
        if (is_so()) return;
      } catch (const StoreError&) {
        continue;  // nothing written yet
      }
    }
    FAIL() << "what was waited for did not come";
  }

  int64_t steps_ = 100000;  // longer than any test waits
  std::thread run_;
  ProgramResult result_;
};

TEST_F(RunnerUnderSignals, AnInterruptedSweepSavesAndGoesOn) {
  kill(program(), SIGINT);
  finish();
  EXPECT_EQ(result_.exit_code, 130) << result_.errors;
  EXPECT_THAT(result_.output, HasSubstr("0 ok, 0 failed, 2 not finished"));
  EXPECT_THAT(result_.errors, HasSubstr("same command again"));
  const auto records = read_runs(folder_.path() / "out", RunParts::all).runs;
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].status, RunStatus::running);
  ASSERT_TRUE(records[0].checkpoint.has_value());
  EXPECT_EQ(records[0].checkpoint->step, records[0].train.back().step);
}

TEST_F(RunnerUnderSignals, AKilledRunIsRecordedAndTheNextBegins) {
  kill(child(), SIGKILL);
  // The second run is now the child; end it softly.
  wait_until([this] { return statuses()[RunStatus::failed] > 0; });
  wait_until([this] { return statuses()[RunStatus::running] > 0; });
  kill(program(), SIGTERM);
  finish();
  EXPECT_THAT(result_.output, HasSubstr("0 ok, 1 failed, 1 not finished"));
  bool found = false;
  for (const auto& record : read_runs(folder_.path() / "out").runs) {
    if (record.status != RunStatus::failed) continue;
    found = true;
    EXPECT_THAT(record.message, HasSubstr("killed by signal 9"));
    EXPECT_FALSE(record.train.empty());
  }
  EXPECT_TRUE(found);
}

TEST_F(RunnerUnderSignals, AKilledRunGoesOnFromItsLastSnapshot) {
  kill(child(), SIGKILL);
  wait_until([this] { return run_of_seed(0).status == RunStatus::failed; });
  kill(program(), SIGTERM);
  finish();
  const RunRecord killed = run_of_seed(0);
  ASSERT_TRUE(killed.checkpoint.has_value());
  ASSERT_FALSE(killed.train.empty());

  start();
  wait_until([&] { return run_of_seed(0).train.size() > killed.train.size(); });
  kill(program(), SIGTERM);
  finish();
  EXPECT_EQ(result_.exit_code, 130) << result_.errors;
  const RunRecord more = run_of_seed(0);
  EXPECT_EQ(more.status, RunStatus::running);
  EXPECT_EQ(more.message, "");
  EXPECT_EQ(more.finished, "");
  EXPECT_EQ(more.started, killed.started);
  // Measured times: no run that starts over has the same.
  EXPECT_EQ(more.train.front().seconds, killed.train.front().seconds);
  EXPECT_EQ(more.train.back().step, static_cast<int64_t>(more.train.size()));  // every row once
}

// The sweep sleeps while its run dies and another call, as it were, finishes that: it learns of the
// death only then.
TEST_F(RunnerUnderSignals, AFinishedRunStaysSoWhenItsProcessDies) {
  const pid_t run = child();
  const std::string file = run_of_seed(0).file;
  kill(program(), SIGSTOP);
  kill(run, SIGKILL);
  wait_until([&] {
    const RunLock lock(file);  // a StoreError until the process is gone
    RunRecord record = read_run(file);
    record.status = RunStatus::done;
    write_run(file, record);
    return true;
  });
  kill(program(), SIGCONT);
  wait_until([this] { return run_of_seed(1).status == RunStatus::running; });
  kill(program(), SIGTERM);
  finish();
  EXPECT_THAT(result_.errors, HasSubstr("seed=0: done"));
  EXPECT_EQ(run_of_seed(0).status, RunStatus::done);
  EXPECT_EQ(run_of_seed(0).message, "");
}

// 130 would say that the sweep was told to stop, 0 that all its runs have ended.
TEST_F(RunnerUnderSignals, RunsThatOthersStopAreNoSuccess) {
  kill(child(), SIGTERM);  // it saves and ends, and the second run begins
  wait_until([this] { return !run_of_seed(1).train.empty(); });
  kill(child(), SIGTERM);
  finish();
  EXPECT_EQ(result_.exit_code, 1) << result_.errors;
  EXPECT_THAT(result_.output, HasSubstr("0 ok, 0 failed, 2 not finished"));
  EXPECT_EQ(statuses()[RunStatus::running], 2);
}

TEST_F(RunnerUnderSignals, ASecondSweepLeavesARunToTheFirst) {
  const ProgramResult second = run_program(
      "run tiny.toml --out out --jobs 1 --set seed=0 --set train.steps=" + std::to_string(steps_),
      folder_);
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_THAT(second.output, HasSubstr("0 ok, 0 failed, 1 busy elsewhere"));
  EXPECT_EQ(statuses()[RunStatus::running], 1);  // the first one's record is untouched
  kill(program(), SIGTERM);
  finish();
  EXPECT_EQ(result_.exit_code, 130) << result_.errors;
}

TEST_F(RunnerUnderSignals, RunsEndWithTheirParent) {
  const pid_t run = child();
  kill(program(), SIGKILL);
  finish();
  for (int tries = 0; tries < 500 && kill(run, 0) == 0; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const auto records = read_runs(folder_.path() / "out", RunParts::all).runs;
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].status, RunStatus::running);
  EXPECT_TRUE(records[0].checkpoint.has_value());
}

}  // namespace
}  // namespace relbias::experiments
