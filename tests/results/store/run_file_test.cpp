// SPDX-License-Identifier: Apache-2.0
// tests: killed writers, full disks, locks and rivals lose nothing that was finished.
#include "results/store/disk/run_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <optional>
#include <random>

#include "tests/results/example_run.h"

namespace relbias::results {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Names = std::vector<std::string>;

// Runs `action` in a process of its own, which ends with status 0 if it returns true.
pid_t start_process(const std::function<bool()>& action) {
  const pid_t process = ::fork();
  if (process == 0) {
    bool good = false;
    try {
      good = action();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    ::_exit(good ? 0 : 1);
  }
  return process;
}

int status_of(pid_t process) {
  int status = 0;
  ::waitpid(process, &status, 0);
  return status;
}

bool succeeds(const std::function<bool()>& action) { return status_of(start_process(action)) == 0; }

// Waits for a process to create `file`.
void wait_for(const std::filesystem::path& file) {
  for (int i = 0; i < 10000 && !std::filesystem::exists(file); ++i) ::usleep(1000);
  ASSERT_TRUE(std::filesystem::exists(file));
}

RunRecord large_run(int64_t seed) {
  RunRecord run = example_run();
  run.seed = seed;
  std::vector<float> values(200'000);  // which no compression makes small
  std::mt19937 generator(static_cast<uint32_t>(seed));
  for (float& value : values) value = std::uniform_real_distribution<float>()(generator);
  run.weights = {{"large", {200'000}, std::move(values)}};
  return run;
}

TEST(RunFile, AKilledWriterLosesNothing) {
  const ScratchFolder folder;
  const auto file = folder.path() / "run.h5";
  write_run(file, large_run(0));
  for (int i = 0; i < 20; ++i) {
    const auto started = folder.path() / "started";
    std::filesystem::remove(started);
    const pid_t writer = start_process([&]() -> bool {
      std::ofstream(started) << "x";
      for (int64_t seed = 1;; ++seed) write_run(file, large_run(seed));
    });
    wait_for(started);
    ::usleep(static_cast<useconds_t>(i) * 1700);
    ::kill(writer, SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(status_of(writer)));
    const RunRecord run = read_run(file);  // before, after, never between
    expect_same(run, large_run(run.seed));
  }
  write_run(file, example_run());
  EXPECT_THAT(names_in(folder.path()), ElementsAre("run.h5", "started"));  // and cleans up
}

TEST(RunFile, AbandonedTemporaryFilesOfOthersStay) {
  const ScratchFolder folder;
  for (const char* name : {"run.h5.tmp-1-0", "other.h5.tmp-1-0", "run.h5.tmp-"}) {
    std::ofstream(folder.path() / name) << "half";
  }
  const auto in_use = folder.path() / "run.h5.tmp-2-0";
  const int writer = ::open(in_use.c_str(), O_CREAT | O_WRONLY, 0600);
  ASSERT_EQ(::flock(writer, LOCK_EX), 0);  // as a living writer holds it
  write_run(folder.path() / "run.h5", example_run());
  EXPECT_THAT(names_in(folder.path()), ElementsAre("other.h5.tmp-1-0", "run.h5", "run.h5.tmp-2-0"));
  ::close(writer);
}

TEST(RunFile, AFullDiskIsNoticedAndLosesNothing) {
  const ScratchFolder folder;
  const auto file = folder.path() / "run.h5";
  write_run(file, example_run());
  EXPECT_TRUE(succeeds([&] {
    const rlimit limit{200000, 200000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);
    const std::string error = store_error([&] { write_run(file, large_run(1)); });
    EXPECT_THAT(error, HasSubstr(file.string() + ": cannot write 6"));  // 8..... bytes
    EXPECT_THAT(error, HasSubstr("File too large"));
    EXPECT_THAT(error, HasSubstr("what stood there is untouched"));
    write_run(folder.path() / "small.h5", example_run());  // and goes on
    return !testing::Test::HasFailure();
  }));
  expect_same(read_run(file), example_run());
  EXPECT_THAT(names_in(folder.path()), ElementsAre("run.h5", "small.h5"));
}

TEST(RunFile, TwoProcessesWriteOneRun) {
  const ScratchFolder folder;
  const auto file = folder.path() / "run.h5";
  const auto write_often = [&](int64_t first) {
    return start_process([&file, first] {
      for (int64_t seed = first; seed < first + 20; ++seed) {
        write_run(file, large_run(seed));
        (void)read_run(file);
      }
      return true;
    });
  };
  const pid_t one = write_often(0);
  const pid_t two = write_often(20);
  EXPECT_EQ(status_of(one), 0);
  EXPECT_EQ(status_of(two), 0);
  const RunRecord run = read_run(file);
  expect_same(run, large_run(run.seed));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("run.h5"));
}

TEST(RunFile, FoldersThatCannotBeWrittenAreNamed) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  EXPECT_THAT(store_error([&] { write_run(folder.path() / "file" / "run.h5", example_run()); }),
              HasSubstr((folder.path() / "file").string() + ": cannot create the folder"));
  std::filesystem::create_directory(folder.path() / "closed");
  ::chmod((folder.path() / "closed").c_str(), 0555);
  ::chmod(folder.path().c_str(), 0755);
  EXPECT_TRUE(succeeds([&] {  // as somebody whom permissions stop
    if (::geteuid() == 0 && ::setuid(65534) != 0) return false;
    const auto file = folder.path() / "closed" / "run.h5";
    EXPECT_THAT(store_error([&] { write_run(file, example_run()); }),
                HasSubstr("closed: cannot create a file here: Permission denied"));
    EXPECT_THAT(store_error([&] { const RunLock lock(file); }), HasSubstr("Permission denied"));
    return !testing::Test::HasFailure();
  }));
}

TEST(RunFile, OnlyRegularFilesAreReplaced) {
  const ScratchFolder folder;
  ASSERT_EQ(::mkfifo((folder.path() / "pipe.h5").c_str(), 0600), 0);
  std::filesystem::create_directory(folder.path() / "folder.h5");
  for (const char* name : {"pipe.h5", "folder.h5"}) {
    EXPECT_THAT(store_error([&] { write_run(folder.path() / name, example_run()); }),
                HasSubstr("not a regular file"));
  }
  EXPECT_THAT(store_error([&] { (void)file_bytes(folder.path() / "pipe.h5"); }),
              HasSubstr("not a regular file"));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("folder.h5", "pipe.h5"));
}

TEST(RunLock, OneWriterAtATime) {
  const ScratchFolder folder;
  const auto file = folder.path() / "new" / "ab.h5";
  {
    const RunLock lock(file);
    const std::string expected =
        "run ab: is already being written by process " + std::to_string(::getpid());
    const auto try_lock = [&] {
      const std::string error = store_error([&] { const RunLock second(file); });
      EXPECT_THAT(error, HasSubstr(expected));
      EXPECT_THAT(error, HasSubstr("(lock file " + (folder.path() / "new" / "ab.lock").string()));
      return !testing::Test::HasFailure();
    };
    try_lock();
    EXPECT_TRUE(succeeds(try_lock));
    const RunLock other(folder.path() / "new" / "cd.h5");  // another run is free
  }
  EXPECT_TRUE(names_in(folder.path() / "new").empty());
  const RunLock again(file);
}

TEST(RunLock, DiesWithItsProcess) {
  const ScratchFolder folder;
  const auto file = folder.path() / "ab.h5";
  const auto locked = folder.path() / "locked";
  const pid_t holder = start_process([&]() -> bool {
    const RunLock lock(file);
    std::ofstream(locked) << "x";
    for (;;) ::pause();
  });
  wait_for(locked);
  EXPECT_THAT(store_error([&] { const RunLock lock(file); }),
              HasSubstr("process " + std::to_string(holder)));
  ::kill(holder, SIGKILL);
  (void)status_of(holder);
  const RunLock lock(file);
}

TEST(RunLock, AForkedChildDoesNotReleaseIt) {
  const ScratchFolder folder;
  const auto file = folder.path() / "ab.h5";
  auto lock = std::make_optional<RunLock>(file);
  EXPECT_TRUE(succeeds([&] {
    lock.reset();
    return true;
  }));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("ab.lock"));
  EXPECT_THAT(store_error([&] { const RunLock second(file); }), HasSubstr("already being written"));
}

TEST(RunLock, ManyRivalsOneAtATime) {
  const ScratchFolder folder;
  const auto file = folder.path() / "ab.h5";
  const auto inside = folder.path() / "inside";
  std::vector<pid_t> rivals;
  for (int rival = 0; rival < 4; ++rival) {
    rivals.push_back(start_process([&] {
      int held = 0;
      while (held < 50) {
        try {
          const RunLock lock(file);
          const int alone = ::open(inside.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
          if (alone < 0) return false;
          ::close(alone);
          ::unlink(inside.c_str());
          ++held;
        } catch (const StoreError&) {
          ::usleep(100);
        }
      }
      return true;
    }));
  }
  for (const pid_t rival : rivals) EXPECT_EQ(status_of(rival), 0);
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(FindRuns, FindsRunsOnly) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path() / "b" / "c");
  std::filesystem::create_directories(folder.path() / "folder.h5");
  for (const char* name :
       {"b/2.h5", "b/c/1.h5", "a.h5", "b/2.h5.tmp-1-0", "b/2.lock", "notes.md"}) {
    std::ofstream(folder.path() / name) << "x";
  }
  EXPECT_THAT(
      find_runs(folder.path()),
      ElementsAre(folder.path() / "a.h5", folder.path() / "b/2.h5", folder.path() / "b/c/1.h5"));
}

TEST(FindRuns, SaysWhatIsWrongWithAFolder) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "a.h5") << "x";
  std::filesystem::create_directory(folder.path() / "empty");
  const auto refusal = [&](const char* name) {
    return store_error([&] { (void)find_runs(folder.path() / name); });
  };
  EXPECT_EQ(refusal("missing"), (folder.path() / "missing").string() + ": no such folder");
  EXPECT_THAT(refusal("a.h5"), HasSubstr("a.h5: not a folder"));
  EXPECT_THAT(refusal("empty"), HasSubstr("empty: no runs (*.h5)"));
}

}  // namespace
}  // namespace relbias::results
