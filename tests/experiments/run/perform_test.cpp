// SPDX-License-Identifier: Apache-2.0
// tests/experiments/run: one run and its record, straight through, interrupted, refused.
#include "experiments/run/perform.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>

#include <new>

#include "experiments/version.h"
#include "results/store/store.h"
#include "tests/experiments/studies.h"
#include "tests/scratch_folder.h"

namespace relbias::experiments {
namespace {

using testing::HasSubstr;

class Perform : public testing::Test {
 protected:
  RunRequest request(const std::string& name, const std::vector<std::string>& set = {}) const {
    return {.study = "tiny",
            .file = folder_.path() / "tiny" / (name + ".h5"),
            .config = tiny_run(set).config,
            .device = "cpu",
            .threads = 1,
            .checkpoint_seconds = 3600};
  }
  // Stops after a number of steps, and after a number of evaluation batches.
  static Watcher stop_after(int64_t steps, int64_t batches = 1000) {
    auto seen_step = std::make_shared<int64_t>(0), seen_batches = std::make_shared<int64_t>(0);
    return {.on_step = [=](int64_t step, double) { *seen_step = step; },
            .on_evaluation = [=](int64_t) { ++*seen_batches; },
            .wants_stop = [=] { return *seen_step >= steps || *seen_batches >= batches; }};
  }
  static Watcher never_stop() { return stop_after(1000000); }

  ScratchFolder folder_;
};

void expect_same_result(const RunRecord& a, const RunRecord& b) {
  ASSERT_EQ(a.train.size(), b.train.size());
  for (size_t i = 0; i < a.train.size(); ++i) {
    EXPECT_EQ(a.train[i].step, b.train[i].step);
    EXPECT_EQ(a.train[i].loss, b.train[i].loss);
    EXPECT_EQ(a.train[i].learning_rate, b.train[i].learning_rate);
    EXPECT_EQ(a.train[i].gradient_norm, b.train[i].gradient_norm);
  }
  ASSERT_EQ(a.evaluation.size(), b.evaluation.size());
  for (size_t i = 0; i < a.evaluation.size(); ++i) {
    EXPECT_EQ(a.evaluation[i].value, b.evaluation[i].value);
  }
  ASSERT_EQ(a.tables.size(), b.tables.size());
  for (size_t i = 0; i < a.tables.size(); ++i) EXPECT_EQ(a.tables[i].values, b.tables[i].values);
}

TEST_F(Perform, WritesAWholeRecord) {
  const RunRequest run = request("whole");
  EXPECT_EQ(perform(run, never_stop()), RunEnd::done);
  const RunRecord record = read_run(run.file);
  EXPECT_EQ(record.status, RunStatus::done);
  EXPECT_EQ(record.run_id, tiny_run().id);
  EXPECT_EQ(record.config, tiny_run().text);
  EXPECT_EQ(record.commit, git_commit());
  EXPECT_EQ(record.encoding, "t5");
  EXPECT_EQ(record.relation, "token");
  EXPECT_EQ(record.task, "lag-copy");
  EXPECT_EQ(record.modality, "text");
  EXPECT_EQ(record.backend, "fused");
  EXPECT_EQ(record.primary_metric, "accuracy");
  EXPECT_EQ(record.better, "higher");
  EXPECT_EQ(record.ceiling, 1.0);
  EXPECT_GT(record.parameters_total, record.parameters_position);
  EXPECT_GT(record.parameters_position, 0);
  EXPECT_EQ(record.train.size(), 20u);
  EXPECT_FALSE(record.tables.empty());
  EXPECT_FALSE(record.checkpoint.has_value());
  EXPECT_FALSE(record.finished.empty());
}

// Seen elsewhere: rows doubled when a run continues. Continued runs have every row once.
TEST_F(Perform, InterruptedRunsContinueBitIdentically) {
  const RunRequest straight = request("straight"), broken = request("broken");
  perform(straight, never_stop());
  EXPECT_EQ(perform(broken, stop_after(7)), RunEnd::interrupted);
  const RunRecord stopped = read_run(broken.file);
  EXPECT_EQ(stopped.status, RunStatus::running);
  ASSERT_TRUE(stopped.checkpoint.has_value());
  EXPECT_EQ(stopped.checkpoint->step, 7);
  EXPECT_EQ(perform(broken, stop_after(13)), RunEnd::interrupted);
  EXPECT_EQ(perform(broken, stop_after(1000, 1)), RunEnd::interrupted);  // in the evaluation
  EXPECT_EQ(perform(broken, never_stop()), RunEnd::done);
  expect_same_result(read_run(straight.file), read_run(broken.file));
}

TEST_F(Perform, RunsThatDiedContinueFromTheirLastSnapshot) {
  const RunRequest straight = request("straight");
  RunRequest broken = request("broken");
  perform(straight, never_stop());
  broken.checkpoint_seconds = 0;  // a snapshot every step
  Watcher dies = never_stop();
  struct Death {};
  dies.on_step = [](int64_t step, double) {
    if (step == 9) throw Death();  // passes every handler, as a kill does
  };
  EXPECT_THROW(perform(broken, dies), Death);
  EXPECT_EQ(read_run(broken.file).checkpoint->step, 8);
  EXPECT_EQ(perform(broken, never_stop()), RunEnd::done);
  expect_same_result(read_run(straight.file), read_run(broken.file));
}

// What a sweep leaves of a run whose process was killed, for want of memory for instance.
TEST_F(Perform, RunsRecordedAsKilledContinueFromTheirLastSnapshot) {
  const RunRequest straight = request("straight"), killed = request("killed");
  perform(straight, never_stop());
  perform(killed, stop_after(7));
  RunRecord record = read_run(killed.file);
  record.status = RunStatus::failed;
  record.message = "killed by signal 9";
  record.started = "2026-01-31T12:00:00Z";
  record.finished = "2026-01-31T12:00:01Z";
  write_run(killed.file, record);
  EXPECT_EQ(perform(killed, stop_after(13)), RunEnd::interrupted);
  const RunRecord stopped = read_run(killed.file);
  EXPECT_EQ(stopped.status, RunStatus::running);
  EXPECT_EQ(stopped.message, "");
  EXPECT_EQ(stopped.finished, "");
  EXPECT_EQ(perform(killed, never_stop()), RunEnd::done);
  const RunRecord done = read_run(killed.file);
  EXPECT_EQ(done.started, record.started);
  expect_same_result(read_run(straight.file), done);
}

TEST_F(Perform, KeepsTheNumberOfThreadsItBeganWith) {
  RunRequest run = request("threads");
  perform(run, stop_after(3));
  run.threads = 2;
  perform(run, never_stop());
  EXPECT_EQ(read_run(run.file).threads, 1);
  EXPECT_EQ(at::get_num_threads(), 1);
}

TEST_F(Perform, FinishedRunsAreLeftAlone) {
  const RunRequest run = request("finished");
  perform(run, never_stop());
  const auto written = std::filesystem::last_write_time(run.file);
  Watcher nobody;  // would throw if called
  EXPECT_EQ(perform(run, nobody), RunEnd::done);
  EXPECT_EQ(std::filesystem::last_write_time(run.file), written);
}

// A run that another program began is continued only where that is asked for, and then says so.
TEST_F(Perform, AnotherProgramSaysWhatDiffers) {
  RunRequest run = request("commit");
  perform(run, stop_after(7));
  RunRecord record = read_run(run.file);
  record.commit = "0123456";
  record.versions["libtorch"] = "2.0.0";
  record.cpu = "another CPU";
  write_run(run.file, record);
  try {
    perform(run, never_stop());
    FAIL() << "it went on";
  } catch (const RunRefused& refusal) {
    EXPECT_THAT(refusal.what(),
                HasSubstr("here commit " + git_commit() + ", not 0123456; libtorch "));
    EXPECT_THAT(refusal.what(),
                HasSubstr(", not 2.0.0. Take what began it, let --continue-anyway"));
  }
  EXPECT_EQ(read_run(run.file).checkpoint->step, 7);
  run.continue_anyway = true;
  EXPECT_EQ(perform(run, never_stop()), RunEnd::done);
  const RunRecord done = read_run(run.file);
  EXPECT_EQ(done.commit, git_commit());
  ASSERT_EQ(done.continued.size(), 3);
  EXPECT_EQ(done.continued[0], "from step 7: commit " + git_commit() + ", not 0123456");
  EXPECT_THAT(done.continued[2], HasSubstr("from step 7: cpu "));
  EXPECT_EQ(done.train.size(), 20u);
}

// Another CPU rounds otherwise, which is noted; a job that a cluster moves goes on all the same.
TEST_F(Perform, AnotherCpuIsNoted) {
  const RunRequest run = request("cpu");
  perform(run, stop_after(7));
  RunRecord record = read_run(run.file);
  record.cpu = "another CPU";
  write_run(run.file, record);
  EXPECT_EQ(perform(run, never_stop()), RunEnd::done);
  EXPECT_EQ(read_run(run.file).continued.size(), 1);
}

TEST_F(Perform, SettingsThatChangeNoNumberMayChange) {
  perform(request("log"), stop_after(7));
  EXPECT_EQ(perform(request("log", {"train.log_every=10", "keep.weights=true"}), never_stop()),
            RunEnd::done);
  EXPECT_THAT(read_run(request("log").file).config, HasSubstr("log_every = 10"));
}

TEST_F(Perform, DivergedRunsAreRecordedAndFinished) {
  const RunRequest run = request("diverged", {"train.learning_rate=1e30"});
  EXPECT_EQ(perform(run, never_stop()), RunEnd::diverged);
  const RunRecord record = read_run(run.file);
  EXPECT_EQ(record.status, RunStatus::diverged);
  EXPECT_THAT(record.message, testing::AllOf(HasSubstr("step "), HasSubstr("is not finite")));
  EXPECT_TRUE(record.evaluation.empty());
  EXPECT_EQ(perform(run, Watcher{}), RunEnd::diverged);
}

TEST_F(Perform, FailuresAreRecordedAndRunAgain) {
  const RunRequest run = request("failed");
  Watcher throws = never_stop();
  throws.on_step = [](int64_t step, double) {
    if (step == 5) throw std::runtime_error("the disk of the data is gone");
  };
  EXPECT_THROW(perform(run, throws), std::runtime_error);
  const RunRecord record = read_run(run.file);
  EXPECT_EQ(record.status, RunStatus::failed);
  EXPECT_EQ(record.message, "the disk of the data is gone");
  EXPECT_EQ(record.train.size(), 5u);
  EXPECT_EQ(perform(run, never_stop()), RunEnd::done);
  EXPECT_EQ(read_run(run.file).train.size(), 20u);
}

TEST_F(Perform, OutOfMemoryIsSaidSo) {
  const RunRequest large =
      request("batch", {"train.batch=1000000", "train.size=1000000", "model.encoding=none"});
  EXPECT_THROW(perform(large, never_stop()), std::runtime_error);
  EXPECT_THAT(read_run(large.file).message, HasSubstr("needs more than 6.4e+04 GB"));

  const RunRequest run = request("memory");
  Watcher throws = never_stop();
  throws.on_step = [](int64_t, double) { throw std::bad_alloc(); };
  EXPECT_THROW(perform(run, throws), std::exception);
  EXPECT_THAT(read_run(run.file).message, HasSubstr("out of memory"));
}

TEST_F(Perform, AFailedEvaluationDoesNotCostTheTraining) {
  const RunRequest run = request("evaluation");
  Watcher throws = never_stop();
  // Memory would cost one size alone; this fails the run.
  throws.on_evaluation = [](int64_t) { throw std::runtime_error("the disk is gone"); };
  EXPECT_THROW(perform(run, throws), std::exception);
  const RunRecord failed = read_run(run.file);
  EXPECT_EQ(failed.status, RunStatus::failed);
  ASSERT_TRUE(failed.checkpoint.has_value());
  EXPECT_EQ(failed.checkpoint->step, failed.train.back().step);
  Watcher again = never_stop();
  again.on_step = [](int64_t, double) { throw std::logic_error("trained once more"); };
  EXPECT_EQ(perform(run, again), RunEnd::done);
  EXPECT_EQ(read_run(run.file).train.size(), failed.train.size());
}

TEST_F(Perform, OneSnapshotStandsBesideAnUnfinishedRunAndNoneBesideAFinishedOne) {
  const RunRequest straight = request("straight");
  RunRequest run = request("snapshots");
  run.checkpoint_seconds = 0;
  const auto snapshots = [&] {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(run.file.parent_path())) {
      if (entry.path().extension() == ".snapshot") names.push_back(entry.path().filename());
    }
    return names;
  };
  perform(straight, never_stop());
  EXPECT_EQ(perform(run, stop_after(7)), RunEnd::interrupted);
  EXPECT_THAT(snapshots(), testing::ElementsAre("snapshots.step-7.snapshot"));
  // Written by one that was killed before it could say so in the record.
  folder_.write("tiny/snapshots.step-9.snapshot", "half of it");
  const auto file = run.file.parent_path() / "snapshots.step-7.snapshot";
  std::filesystem::rename(file, file.string() + ".away");
  EXPECT_THROW(perform(run, never_stop()), RunRefused);
  std::filesystem::rename(file.string() + ".away", file);
  EXPECT_EQ(perform(run, never_stop()), RunEnd::done);
  EXPECT_THAT(snapshots(), testing::IsEmpty());
  expect_same_result(read_run(straight.file), read_run(run.file));
}

// What was trained is worth its record, and the size that can be evaluated its rows.
TEST_F(Perform, ASizeThatTheRelationRefusesIsNoFailure) {
  const RunRequest run = request(
      "refused", {"model.relation=token randomize=32", "train.size=16", "evaluate.sizes=[16, 64]"});
  EXPECT_EQ(perform(run, never_stop()), RunEnd::done);
  const RunRecord record = read_run(run.file);
  EXPECT_EQ(record.evaluation.size(), 4u);
  for (const EvaluationRow& row : record.evaluation) {
    EXPECT_EQ(row.defined, row.size == 16) << row.metric << ' ' << row.size;
  }
  EXPECT_FALSE(record.attention.empty());
}

TEST_F(Perform, OneRunIsWrittenByOneProcess) {
  const RunRequest run = request("locked");
  const RunLock other(run.file);
  EXPECT_THROW(perform(run, never_stop()), RunRefused);
  EXPECT_FALSE(std::filesystem::exists(run.file));
}

TEST_F(Perform, DamagedFilesAreRefusedAndKept) {
  const RunRequest run = request("damaged");
  folder_.write("tiny/damaged.h5", "no HDF5");
  EXPECT_THROW(perform(run, never_stop()), RunRefused);
  EXPECT_EQ(std::filesystem::file_size(run.file), 7u);
}

TEST_F(Perform, OtherDataIsRefused) {
  const std::string text(2000, 'x');
  const std::string file = folder_.write("data/text.txt", text);
  const std::vector<std::string> set{"data.task=language-model", "evaluate.tokens=24",
                                     "data.dataset=text-file path=" + file};
  const RunRequest run = request("data", set);
  perform(run, stop_after(3));
  folder_.write("data/text.txt", std::string(2000, 'y'));
  EXPECT_THROW(perform(run, never_stop()), RunRefused);
  folder_.write("data/text.txt", text);  // and nothing is lost
  EXPECT_EQ(perform(run, never_stop()), RunEnd::done);
  EXPECT_EQ(read_run(run.file).train.front().step, 1);
}

TEST_F(Perform, MissingDataLeavesTheSnapshot) {
  const std::string file = folder_.write("data/text.txt", std::string(2000, 'x'));
  const RunRequest run = request("gone", {"data.task=language-model", "evaluate.tokens=24",
                                          "data.dataset=text-file path=" + file});
  perform(run, stop_after(3));
  std::filesystem::remove(file);
  EXPECT_THROW(perform(run, never_stop()), RunRefused);
  EXPECT_EQ(read_run(run.file).checkpoint->step, 3);
}

}  // namespace
}  // namespace relbias::experiments
