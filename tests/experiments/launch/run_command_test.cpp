// SPDX-License-Identifier: Apache-2.0
// tests/experiments/launch: `relbias run` beside others, on other folders, and what it is told.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "results/store/store.h"
#include "tests/error_of.h"
#include "tests/experiments/program.h"
#include "tests/experiments/studies.h"

namespace relbias::experiments {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

const std::string parts = tiny_study() + R"(
[[part]]
name = "small"
sweep = {seed = [0, 1]}
[[part]]
name = "large"
train = {size = 13}
sweep = {seed = [0]}
)";

std::vector<std::string> labels(const std::string& text, const Selection& selection) {
  std::vector<std::string> found;
  for (const Run& run : expand(parse_study(text, "tiny.toml"), selection)) {
    found.push_back(run.label);
  }
  return found;
}

// The holder of the lock is another process: a child, which waits to be ended.
class Holder {
 public:
  explicit Holder(const fs::path& lock) {
    int ready[2];
    if (pipe(ready) != 0) throw std::runtime_error("no pipe");
    child_ = fork();
    if (child_ == 0) {
      const int file = open(lock.c_str(), O_RDWR | O_CREAT, 0666);
      flock(file, LOCK_EX);
      [[maybe_unused]] const auto told = write(ready[1], "x", 1);
      pause();
      _exit(0);
    }
    char byte = 0;
    [[maybe_unused]] const auto got = read(ready[0], &byte, 1);
    close(ready[0]);
    close(ready[1]);
  }
  ~Holder() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

 private:
  pid_t child_ = 0;
};

TEST(RunCommand, WhatAnotherProcessRunsIsNoFailure) {
  const ScratchFolder folder;
  folder.write("tiny.toml", tiny_study("[sweep]\nseed = [0, 1]\n"));
  const std::string id = expand(load_study(folder.path() / "tiny.toml"), {}).front().id;
  fs::create_directories(folder.path() / "out" / "tiny");
  const Holder holder(folder.path() / "out" / "tiny" / (id + ".lock"));
  const ProgramResult result = run_program("run tiny.toml --out out --jobs 1", folder);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("1 ok, 0 failed, 1 busy elsewhere"));
}

TEST(RunCommand, ASecondStudyOfTheSameNameDoesNotReplaceTheFirst) {
  const ScratchFolder folder;
  folder.write("a/tiny.toml", tiny_study());
  folder.write("b/tiny.toml", tiny_study("[sweep]\nseed = [3]\n"));
  ASSERT_EQ(run_program("run a/tiny.toml --out out", folder).exit_code, 0);
  const std::string first = text_of_file(folder.path() / "out/tiny/tiny.toml");
  EXPECT_THAT(first, HasSubstr(tiny_study()));
  const ProgramResult second = run_program("run b/tiny.toml --out out", folder);
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.errors, HasSubstr("holds another study of the name tiny"));
  EXPECT_EQ(text_of_file(folder.path() / "out/tiny/tiny.toml"), first);
  // The study itself may change, and a copy of it is the same study.
  folder.write("a/tiny.toml", tiny_study("[sweep]\nseed = [4]\n"));
  EXPECT_EQ(run_program("run a/tiny.toml --out out", folder).exit_code, 0);
  folder.write("c/tiny.toml", tiny_study("[sweep]\nseed = [4]\n"));
  EXPECT_EQ(run_program("run c/tiny.toml --out out", folder).exit_code, 0);
}

TEST(RunCommand, ADryRunMarksWhatIsFinished) {
  const ScratchFolder folder;
  folder.write("tiny.toml", tiny_study("[sweep]\nseed = [0, 1]\n"));
  EXPECT_THAT(run_program("run tiny.toml --out out --dry-run", folder).output,
              AllOf(HasSubstr("open"), Not(HasSubstr("finished"))));
  EXPECT_FALSE(fs::exists(folder.path() / "out"));
  run_program("run tiny.toml --out out --only seed=0", folder);
  EXPECT_THAT(run_program("run tiny.toml --out out --dry-run", folder).output,
              AllOf(HasSubstr("finished"), HasSubstr("open")));
}

TEST(RunCommand, AStudyWhoseNameIsAFolderAboveIsRefused) {
  const ScratchFolder folder;
  folder.write("deep/...toml", tiny_study());
  const ProgramResult result = run_program("run deep/...toml --out out", folder);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("its name is '..'"));
}

TEST(RunCommand, AFolderThatCannotBeWrittenStopsTheSweep) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may mount a small disk";
  const ScratchFolder folder;
  folder.write("tiny.toml", tiny_study("[sweep]\nseed = [0, 1, 2, 3, 4, 5]\n"));
  const fs::path out = folder.path() / "out";
  fs::create_directories(out);
  if (std::system(
          fmt::format("mount -t tmpfs -o size=64k tmpfs '{}' 2>/dev/null", out.string()).c_str()) !=
      0) {
    GTEST_SKIP() << "no disk can be mounted here";
  }
  const ProgramResult result = run_program("run tiny.toml --out out --jobs 1", folder);
  [[maybe_unused]] const int status = std::system(fmt::format("umount '{}'", out.string()).c_str());
  EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
  EXPECT_THAT(result.output, HasSubstr("1 failed"));
  EXPECT_THAT(result.errors, HasSubstr("all stop"));
}

TEST(Selected, OnePartIsChosenByItsName) {
  EXPECT_THAT(labels(parts, {.only = {"part=large"}}), testing::ElementsAre("large: seed=0"));
  EXPECT_EQ(labels(parts, {.only = {"part=small,large"}}).size(), 3U);
  EXPECT_THAT(error_of([] { labels(parts, {.only = {"part=lage"}}); }),
              HasSubstr("unknown part 'lage': did you mean 'large'?"));
  EXPECT_THAT(error_of([] { labels(tiny_study(), {.only = {"part=x"}}); }),
              HasSubstr("the study has no [[part]]"));
}

// A table set its key and was then passed over without a word.
TEST(Selected, ATableSetsTheKeysBelowIt) {
  const auto steps = [](const Selection& selection, const std::string& more = "") {
    std::vector<int64_t> found;
    for (const auto& run : expand(parse_study(tiny_study(more), "tiny.toml"), selection)) {
      found.push_back(run.config.train.steps);
    }
    return found;
  };
  EXPECT_THAT(steps({.set = {"train={steps=7}"}}), testing::ElementsAre(7));
  EXPECT_THAT(steps({}, "[sweep]\ntrain = [{steps = 7}, {steps = 8}]\n"),
              testing::ElementsAre(7, 8));
  EXPECT_THAT(error_of([&] { steps({.set = {"train={stesp=7}"}}); }),
              HasSubstr("did you mean 'train.steps'?"));
  EXPECT_THAT(error_of([&] { steps({.set = {"train={}"}}); }),
              HasSubstr("a table of settings expected"));
  EXPECT_THAT(error_of([&] { steps({.set = {"nosuch={a=1}"}}); }), HasSubstr("nosuch.a"));
}

}  // namespace
}  // namespace relbias::experiments
