// SPDX-License-Identifier: Apache-2.0
// tests/experiments: sweeps of run processes that end well, fail, are killed or interrupted.
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "results/store.h"
#include "tests/experiments/program.h"
#include "tests/experiments/studies.h"

namespace relbias {
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

// A63: the others go on, the failure stands in the run's own record.
TEST_F(Runner, OneFailingRunDoesNotStopTheOthers) {
  write_study("[sweep]\n\"train.batch\" = [4, 1000000000000, 5]\n");
  const ProgramResult result = run("--jobs 1");
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("2 ok, 1 failed"));
  EXPECT_THAT(result.errors, HasSubstr("needs more than"));
  EXPECT_EQ(statuses()[RunStatus::done], 2);
  EXPECT_EQ(statuses()[RunStatus::failed], 1);
}

TEST_F(Runner, FailFastStopsAtTheFirstFailure) {
  write_study("[sweep]\n\"train.batch\" = [4, 1000000000000, 5]\n");
  const ProgramResult result = run("--jobs 1 --fail-fast");
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

// Sends a signal to the process whose id the file holds, once it trains: a shell writes the id,
// the run file says that training began.
class RunnerUnderSignals : public Runner {
 protected:
  void SetUp() override {
    write_study("[sweep]\nseed = [0, 1]\n");
    run_ = std::thread([this]() {
      result_ = run_program(
          "run tiny.toml --out out --jobs 1 --checkpoint-seconds 0 "
          "--set train.steps=" +
              std::to_string(steps_),
          folder_, "echo $$ >shell.pid; exec");
    });
    wait_for_training();
  }
  void TearDown() override { finish(); }
  void finish() {
    if (run_.joinable()) run_.join();
  }
  pid_t program() const { return std::stoi(text_of_file(folder_.path() / "shell.pid")); }
  // The first child of the program.
  pid_t child() const {
    const std::string pid = std::to_string(program());
    return std::stoi(text_of_file("/proc/" + pid + "/task/" + pid + "/children"));
  }
  void wait_for_training() const {
    for (int tries = 0; tries < 3000; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      try {
        const auto read = read_runs(folder_.path() / "out");
        if (!read.runs.at(0).train.empty()) return;
      } catch (const StoreError&) {
        continue;  // nothing written yet
      }
    }
    FAIL() << "no run has begun";
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
  for (int tries = 0; tries < 3000 && statuses()[RunStatus::failed] == 0; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  for (int tries = 0; tries < 3000 && statuses()[RunStatus::running] == 0; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
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

TEST_F(RunnerUnderSignals, ASecondSweepOfTheSameRunsIsRefused) {
  const ProgramResult second = run_program(
      "run tiny.toml --out out --jobs 1 --set seed=0 --set train.steps=" + std::to_string(steps_),
      folder_);
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.output, HasSubstr("0 ok, 1 failed"));
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
}  // namespace relbias
