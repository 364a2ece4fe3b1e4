// SPDX-License-Identifier: Apache-2.0
// tests/experiments: commands, messages and exit codes of the program.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "encodings/encoding.h"
#include "experiments/study.h"
#include "modalities/modality.h"
#include "tests/experiments/program.h"
#include "tests/experiments/studies.h"

namespace relbias {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Program : public testing::Test {
 protected:
  ProgramResult call(const std::string& arguments) const { return run_program(arguments, folder_); }
  ScratchFolder folder_;
};

TEST_F(Program, MisspeltWordsAreUsageErrors) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"rnu quickstart", "did you mean 'run'?"},
      {"run quickstrat", "did you mean 'quickstart'?"},
      {"run quickstart --dryrun", "did you mean '--dry-run'?"},
      {"run quickstart --set train.stesp=1 --dry-run", "did you mean 'train.steps'?"},
      {"run quickstart --set model.encoding=alibbi --dry-run", "did you mean 'alibi'?"},
      {"run quickstart --set 'model.encoding=t5 num_bukets=8' --dry-run", "'num_buckets'?"},
      {"run quickstart --only model.encoding=rpoe --dry-run", "did you mean 'rope'?"},
      {"run quickstart quickstart --dry-run", "study quickstart is given twice"},
      {"run quickstart --device gpu", "valid: auto, cpu, cuda"},
      {"run quickstart --shard 3/2", "i from 1 to n"},
      {"list encodinsg", "did you mean 'encodings'?"},
      {"describe alibbi", "did you mean 'alibi'?"},
      {"terms --encoding alibbi", "did you mean 'alibi'?"},
      {"terms --encodng alibi", "did you mean '--encoding'?"},
  };
  for (const auto& [arguments, hint] : cases) {
    const ProgramResult result = call(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments << '\n' << result.errors;
    EXPECT_THAT(result.errors, AllOf(HasSubstr("relbias: "), HasSubstr(hint))) << arguments;
    EXPECT_EQ(result.output, "") << arguments;
  }
}

TEST_F(Program, MissingArgumentsAreUsageErrors) {
  for (const std::string arguments : {"", "run", "list", "describe", "table", "inspect"}) {
    EXPECT_EQ(call(arguments).exit_code, 2) << arguments;
  }
}

TEST_F(Program, HelpIsNoError) {
  const ProgramResult help = call("--help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.output, AllOf(HasSubstr("run"), HasSubstr("describe"), HasSubstr("terms")));
  EXPECT_THAT(help.output, testing::Not(HasSubstr("run-one")));
  EXPECT_EQ(call("run --help").exit_code, 0);
}

TEST_F(Program, ListsAreCompleteAndForProgramsToo) {
  for (const std::string kind :
       {"modalities", "relations", "encodings", "datasets", "tasks", "studies"}) {
    const auto list = nlohmann::json::parse(call("list " + kind + " --json").output);
    const std::string text = call("list " + kind).output;
    EXPECT_FALSE(list.empty()) << kind;
    for (const auto& item : list) {
      EXPECT_THAT(text, HasSubstr(item.at("name").get<std::string>())) << kind;
      EXPECT_NE(item.at("summary"), "") << item;
    }
  }
  const auto encodings = nlohmann::json::parse(call("list encodings --json").output);
  EXPECT_EQ(encodings.size(), encoding_entries().size());
}

TEST_F(Program, MatrixHasNoBlankCell) {
  const auto cells = nlohmann::json::parse(call("list --matrix --json").output);
  EXPECT_EQ(cells.size(), encoding_entries().size() * relation_entries().size());
  for (const auto& cell : cells) {
    const bool has_reason = cell["reason_causal"].is_string() && cell["reason_full"].is_string();
    EXPECT_NE(cell["defined"].get<bool>(), has_reason) << cell;
  }
  const std::string text = call("list --matrix").output;
  for (const auto& entry : encoding_entries()) EXPECT_THAT(text, HasSubstr(entry.name));
}

TEST_F(Program, DescribesEverythingThatHasAName) {
  std::vector<std::string> names = study_names();
  for (const auto& entry : encoding_entries()) names.push_back(entry.name);
  for (const auto& entry : relation_entries()) names.push_back(entry.name);
  for (const auto& entry : dataset_entries()) names.push_back(entry.name);
  for (const auto& entry : task_entries()) names.push_back(entry.name);
  for (const auto& name : names) {
    const ProgramResult result = call("describe " + name);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr(" " + name)) << name;
  }
  const std::string t5 = call("describe t5").output;
  EXPECT_THAT(t5, AllOf(HasSubstr("num_buckets=32"), HasSubstr("formula"), HasSubstr("source"),
                        HasSubstr("past_range=extend")));
  const std::string config = call("describe config").output;
  EXPECT_THAT(config, AllOf(HasSubstr("train.steps = 500"), HasSubstr("evaluate.sizes")));
}

TEST_F(Program, DryRunShowsRunsAndCosts) {
  folder_.write("tiny.toml", tiny_study("[sweep]\nseed = [0, 1]\n"));
  const ProgramResult result = call("run tiny.toml --dry-run");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, AllOf(HasSubstr("parameters"), HasSubstr("FLOPs"), HasSubstr("seed=1"),
                                   HasSubstr("2 runs, 1.9 k training tokens")));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "runs"));
}

TEST_F(Program, ShardsDivideTheRuns) {
  folder_.write("tiny.toml", tiny_study("[sweep]\nseed = [0, 1, 2, 3, 4]\n"));
  const std::string first = call("run tiny.toml --dry-run --shard 1/2").output;
  const std::string second = call("run tiny.toml --dry-run --shard 2/2").output;
  EXPECT_THAT(first, AllOf(HasSubstr("seed=0"), HasSubstr("seed=2"), HasSubstr("seed=4"),
                           HasSubstr("3 runs")));
  EXPECT_THAT(second, AllOf(HasSubstr("seed=1"), HasSubstr("seed=3"), HasSubstr("2 runs")));
}

TEST_F(Program, FoldersThatCannotBeWrittenAreNamed) {
  folder_.write("tiny.toml", tiny_study());
  folder_.write("file", "no folder");
  // Root may write everywhere, but not below a file, nor in /proc.
  for (const std::string out : {"file/results", "/proc/results"}) {
    const ProgramResult result = call("run tiny.toml --out " + out);
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    EXPECT_THAT(result.errors, AllOf(HasSubstr(out), HasSubstr("cannot be written")));
  }
}

TEST_F(Program, WhatCanBeKnownToFailFailsFirst) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"--set model.heads=3", "a divisor of the width 16"},
      {"--set data.task=flip-flop --set train.size=13", "even number"},
      {"--set train.size=4", "more than lag=5"},
      {"--set data.task=language-model --set 'data.dataset=text-file path=missing.txt'",
       "missing.txt"},
      {"--set data.task=language-model --set 'data.dataset=text-file path=empty.txt'", "empty.txt"},
  };
  folder_.write("tiny.toml", tiny_study("[sweep]\nseed = [0, 1]\n"));
  folder_.write("empty.txt", "");
  for (const auto& [arguments, message] : cases) {
    const ProgramResult result = call("run tiny.toml --out out " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(message)) << arguments;
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out")) << arguments;
  }
}

TEST_F(Program, CudaWithoutAGpuIsAnError) {
  if (std::filesystem::exists("/dev/nvidia0")) GTEST_SKIP() << "there is a GPU";
  folder_.write("tiny.toml", tiny_study());
  const ProgramResult result = call("run tiny.toml --device cuda");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("device cuda: "));
}

}  // namespace
}  // namespace relbias
