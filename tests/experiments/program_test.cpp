// SPDX-License-Identifier: Apache-2.0
// tests/experiments: commands, messages and exit codes of the program.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "encodings/encoding.h"
#include "experiments/study/study.h"
#include "modalities/modality.h"
#include "tests/experiments/program.h"
#include "tests/experiments/studies.h"

namespace relbias::experiments {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Program : public testing::Test {
 protected:
  ProgramResult call(const std::string& arguments) const { return run_program(arguments, folder_); }
  ScratchFolder folder_;
};

TEST_F(Program, MisspeltWordsAreUsageErrors) {
  for (const char* file : {"a/tiny.toml", "b/tiny.toml"}) folder_.write(file, tiny_study());
  const std::vector<std::pair<std::string, std::string>> cases{
      {"rnu quickstart", "did you mean 'run'?"},
      {"run quickstrat", "did you mean 'quickstart'?"},
      {"run quickstart --dryrun", "did you mean '--dry-run'?"},
      {"run quickstart --set train.stesp=1 --dry-run", "did you mean 'train.steps'?"},
      {"run quickstart --set model.encoding=alibbi --dry-run", "did you mean 'alibi'?"},
      {"run quickstart --set 'model.encoding=t5 num_bukets=8' --dry-run", "'num_buckets'?"},
      {"run quickstart --only model.encoding=rpoe --dry-run", "did you mean 'rope'?"},
      {"run quickstart quickstart --dry-run", "study quickstart is given twice"},
      {"run a/tiny.toml b/tiny.toml --dry-run", "two studies are called tiny"},
      {"run a/tiny.toml --smoke --dry-run", "study tiny: no [smoke] settings found"},
      {"run quickstart --device gpu", "valid: auto, cpu, cuda"},
      {"run quickstart --shard 3/2", "i from 1 to n"},
      {"list encodinsg", "did you mean 'encodings'?"},
      {"describe alibbi", "did you mean 'alibi'?"},
      {"terms --encoding alibbi", "did you mean 'alibi'?"},
      {"terms --encodng alibi", "did you mean '--encoding'?"},
      {"describe ALIBI", "did you mean 'alibi'?"},
      {"terms --encoding alibi --keys x", "--keys"},
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
  EXPECT_THAT(t5, HasSubstr("both directions together (2 to "));
  EXPECT_THAT(call("describe fire").output,
              AllOf(HasSubstr("a factor of the option L"), testing::Not(HasSubstr("SmallMlp"))));
  EXPECT_THAT(call("describe cpb").output, testing::Not(HasSubstr("SmallMlp")));
  EXPECT_THAT(call("describe attend").output, HasSubstr("in float32\ninside: "));
  EXPECT_THAT(call("describe quickstart").output, testing::Not(HasSubstr("00000000")));
  const std::string own = folder_.write("mine/tiny.toml", tiny_study());
  const std::string mine = call("describe mine/tiny.toml").output;
  EXPECT_THAT(mine, AllOf(HasSubstr("does it run?"), HasSubstr("relbias run mine/tiny.toml")));
  EXPECT_THAT(call("describe mine/tyni.toml").errors, HasSubstr("mine/tyni.toml: no such file"));
  const std::string study = call("describe study").output;
  for (const auto& keys : {study_keys(), claim_keys()}) {
    for (const auto& one : keys) EXPECT_THAT(study, HasSubstr(one.key + "\n"));
  }
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

TEST_F(Program, OutputThatCannotBeWrittenIsAFailure) {
  folder_.write("tiny.toml", tiny_study());
  for (const std::string arguments :
       {"list encodings", "describe alibi", "--help", "terms --encoding alibi --keys 4",
        "run tiny.toml --dry-run"}) {
    for (const std::string output : {">/dev/full", ">&-"}) {
      // In a shell of its own: run_program sends this one's output to a file.
      const std::string program =
          std::filesystem::read_symlink("/proc/self/exe").replace_filename("relbias").string();
      const std::string script = "'" + program + "' " + arguments + " " + output;
      folder_.write("call.sh", script + "\n");
      const int status =
          std::system(("cd '" + folder_.path().string() + "' && sh call.sh 2>errors.txt").c_str());
      EXPECT_EQ(WEXITSTATUS(status), 1) << script;
      EXPECT_THAT(text_of_file(folder_.path() / "errors.txt"),
                  HasSubstr("standard output cannot be written"))
          << script;
    }
  }
}

// Nobody reads it: the exit code and the results are all the same.
TEST_F(Program, StandardErrorThatCannotBeWrittenIsNoFailure) {
  const auto call_unheard = [&](const std::string& arguments) {
    // In a shell of its own: run_program sends this one's standard error to a file.
    return run_program(arguments, folder_, R"(sh -c 'exec "$0" "$@" 2>/dev/full')");
  };
  EXPECT_EQ(call_unheard("table nowhere").exit_code, 2);
  EXPECT_EQ(call_unheard("rnu quickstart").exit_code, 2);
  EXPECT_EQ(call_unheard("run").exit_code, 2);
  folder_.write("tiny.toml", tiny_study());
  const ProgramResult result = call_unheard("run tiny.toml --out out");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("1 ok, 0 failed"));
  EXPECT_EQ(result.errors, "");
  EXPECT_THAT(call("run tiny.toml --out out").output, HasSubstr("1 finished before"));
}

TEST_F(Program, SizesThatDoNotFitAreNamed) {
  folder_.write("tiny.toml", tiny_study());
  const std::vector<std::pair<std::string, std::string>> cases{
      {"terms --encoding alibi --keys 1000000", "terms of 1000000 queries, 1000000 keys"},
      {"terms --encoding alibi --keys 1073741824 --queries 1", "numbers, at most"},
      {"terms --encoding alibi --keys 4 --trained 1073741824", "numbers, at most"},
      {"terms --encoding alibi --keys 4 --seed -1", "--seed"},
      {"terms --encoding alibi --keys 4 --seed 99999999999999999999", "--seed"},
      {"terms --encoding 'alibi alpha=1e300' --keys 4", "1e300 found"},
      {"run tiny.toml --dry-run --set model.width=1000000000", "the weights need"},
  };
  for (const auto& [arguments, message] : cases) {
    const ProgramResult result = call(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments << result.errors;
    EXPECT_THAT(result.errors, AllOf(HasSubstr("relbias: "), HasSubstr(message))) << arguments;
    EXPECT_THAT(result.errors, testing::Not(HasSubstr("fault"))) << arguments;
  }
}

TEST_F(Program, TermsOfTokensAreSaidToBe) {
  EXPECT_THAT(call("terms --encoding sinusoidal --keys 4").output,
              AllOf(HasSubstr("changes token embeddings"), testing::Not(HasSubstr("content"))));
  EXPECT_THAT(call("terms --encoding shaw --keys 4").output, HasSubstr("depends on content"));
}

TEST_F(Program, TermsOfFourThousandTokens) {
  const std::string rope =
      "terms --encoding 'rope scaling=dynamic-ntk factor=2 trained=2048' --width 64 --json --keys ";
  EXPECT_THAT(call(rope + "4096").output, HasSubstr("\"base\":31082.2366"));
  EXPECT_THAT(call(rope + "1024").output, HasSubstr("\"base\":10000.0"));
}

TEST_F(Program, TermsOfATrainedGrid) {
  const std::string clamped =
      "terms --encoding 'table past_range=clamp' --relation 'grid height=1 width=3' ";
  // Trained on two patches side by side: the third is no farther than the second.
  const ProgramResult grid = call(clamped + "--trained 'grid height=1 width=2' --json");
  EXPECT_EQ(grid.exit_code, 0) << grid.errors;
  EXPECT_THAT(grid.output, HasSubstr("[[1,0,0],[2,1,0],[2,2,1]]"));
  EXPECT_THAT(call(clamped + "--trained 2").errors, HasSubstr("grid: 2 queries and 2 keys found"));
  EXPECT_THAT(
      call(clamped + "--trained 'token keys=2'").errors,
      HasSubstr("trained: 'token keys=2' found, tokens from 1 to 1073741824 or the relation grid"));
}

// The model is the one of all keys, so its table is that of the square.
TEST_F(Program, TermsOfTheLastQueriesAreTheLastRowsOfAll) {
  const auto terms = [&](const std::string& size) {
    const ProgramResult result = call("terms --encoding table --json " + size);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return nlohmann::json::parse(result.output, nullptr, /*allow_exceptions=*/false);
  };
  const auto all = terms("--keys 5"), last = terms("--queries 2 --keys 5");
  ASSERT_TRUE(all.is_object() && last.is_object());
  EXPECT_EQ(last.at("ids").dump(), "[[1,2,3,4,5],[0,1,2,3,4]]");
  EXPECT_EQ(last.at("rows"), all.at("rows"));
  for (const size_t row : {size_t{0}, size_t{1}}) {
    EXPECT_EQ(last.at("ids").at(row), all.at("ids").at(row + 3));
    EXPECT_EQ(last.at("score").front().at(row), all.at("score").front().at(row + 3));
  }
}

TEST_F(Program, SaysWhatDataItRead) {
  std::filesystem::create_directory(folder_.path() / "texts");
  folder_.write("texts/a.txt", std::string(4000, 'a') + "bc\n");
  folder_.write("texts/b.txt", "\xff\xfe");
  folder_.write("tiny.toml", tiny_study("[sweep]\nseed = [0, 1]\n"));
  const ProgramResult result = call(
      "run tiny.toml --set 'data.task=language-model stretch=64' --set train.size=16 "
      "--set 'data.dataset=text-file path=texts' --set evaluate.sizes=[16] "
      "--set evaluate.tokens=256 --out out");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const std::string report =
      "1 of 2 files read (0 empty, 1 not UTF-8 text, 0 copies; the first: b.txt)";
  const auto first = result.errors.find(report);
  EXPECT_NE(first, std::string::npos) << result.errors;
  EXPECT_EQ(result.errors.find(report, first + 1), std::string::npos) << result.errors;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path() / "out")) {
    if (entry.path().extension() != ".h5") continue;
    EXPECT_THAT(call("inspect '" + entry.path().string() + "'").output, HasSubstr(report));
  }
}

TEST_F(Program, TablesCountDamagedFiles) {
  folder_.write("tiny.toml", tiny_study());
  ASSERT_EQ(call("run tiny.toml --out out --set train.steps=2").exit_code, 0);
  folder_.write("out/tiny/broken.h5", "no HDF5");
  const ProgramResult table = call("table out");
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  EXPECT_THAT(table.output, HasSubstr("\n1 file was not read and not counted"));
}

TEST_F(Program, ClaimsAreAtSizesThatAreEvaluated) {
  const std::string claim =
      "[sweep]\n\"model.encoding\" = [\"alibi\", \"t5\"]\n"
      "[[claim]]\nbetter = \"alibi\"\nworse = \"t5\"\nat = ";
  folder_.write("good.toml", tiny_study(claim + "2.0\n"));
  EXPECT_EQ(call("run good.toml --dry-run").exit_code, 0);
  folder_.write("bad.toml", tiny_study(claim + "3.0\n"));
  const ProgramResult bad = call("run bad.toml --dry-run");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.errors, HasSubstr("claim.at: 3 found, one of the evaluated multiples of "
                                    "the trained size expected: 1, 2"));
}

TEST_F(Program, CudaWithoutAGpuIsAnError) {
  if (std::filesystem::exists("/dev/nvidia0")) GTEST_SKIP() << "there is a GPU";
  folder_.write("tiny.toml", tiny_study());
  const ProgramResult result = call("run tiny.toml --device cuda");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("device cuda: "));
}

}  // namespace
}  // namespace relbias::experiments
