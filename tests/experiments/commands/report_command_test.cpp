// SPDX-License-Identifier: Apache-2.0
// tests/experiments/commands: from runs to tables, ranks, one merged file and the report, on the
// command line.
#include <gmock/gmock.h>

#include "tests/experiments/program.h"

namespace relbias::experiments {
namespace {

using testing::HasSubstr;

class ReportCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new ScratchFolder;
    const ProgramResult run = run_program("run text-gates --smoke --out out", *folder_);
    ASSERT_EQ(run.exit_code, 0) << run.errors;
  }
  static void TearDownTestSuite() { delete folder_; }
  static ProgramResult call(const std::string& arguments) {
    return run_program(arguments, *folder_);
  }
  static bool exists(const std::string& name) {
    return std::filesystem::exists(folder_->path() / name);
  }
  static ScratchFolder* folder_;
};
ScratchFolder* ReportCommand::folder_ = nullptr;

TEST_F(ReportCommand, TheStudyStandsBesideItsRunsAndIsJudged) {
  EXPECT_TRUE(exists("out/text-gates/text-gates.toml"));
  const ProgramResult table = call("table out");
  EXPECT_THAT(table.output, HasSubstr("claims of text-gates\n"));
  EXPECT_THAT(table.output, HasSubstr("alibi before rope at 8x"));
}

TEST_F(ReportCommand, RanksAreATableOfTheirOwn) {
  // A study of gates has no ranks, which are of benchmarks alone.
  EXPECT_THAT(call("table out --by modality").output,
              testing::AllOf(HasSubstr("Gates at 1x the training size"),
                             testing::Not(HasSubstr("Ranks at"))));
  EXPECT_THAT(call("table out --by task --format csv").output,
              HasSubstr("encoding,column,factor,tasks,rank,value,state,score,low,high\n"));
  const ProgramResult nowhere = call("table out --by modality --at 64");
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.errors, HasSubstr("no run was evaluated at 64x its training size"));
  EXPECT_THAT(call("table out --by modality --at 0").errors,
              HasSubstr("--at 0: a number above 0 expected"));
  EXPECT_EQ(call("table out --by modality --at inf").exit_code, 2);
  EXPECT_THAT(call("table out --by modalty").errors, HasSubstr("did you mean 'modality'?"));
}

TEST_F(ReportCommand, DamagedFilesAreCountedBelowEveryTable) {
  folder_->write("out/text-gates/damaged.h5", "no run");
  const std::string note = "1 file was not read and not counted";
  EXPECT_THAT(call("table out").output, HasSubstr(note));
  EXPECT_THAT(call("table out --by modality").output, HasSubstr(note));
  EXPECT_THAT(call("table out --by modality --format csv").output, testing::Not(HasSubstr(note)));
  std::filesystem::remove(folder_->path() / "out/text-gates/damaged.h5");
}

TEST_F(ReportCommand, RunsAreMergedOutsideTheirFolder) {
  EXPECT_EQ(call("table out --merge merged.h5").exit_code, 0);
  EXPECT_TRUE(exists("merged.h5"));
  const ProgramResult inside = call("table out --merge out/text-gates/all.h5");
  EXPECT_EQ(inside.exit_code, 2);
  EXPECT_THAT(inside.errors, HasSubstr("another folder expected"));
}

TEST_F(ReportCommand, ReportIsOnePageWithFiguresAsJson) {
  folder_->write("out/text-gates/half.h5", "cut");
  const ProgramResult report = call("report out -o page.html");
  EXPECT_EQ(report.exit_code, 0) << report.errors;
  EXPECT_EQ(report.output, "page.html\n");
  EXPECT_THAT(report.errors, HasSubstr("half.h5"));
  EXPECT_TRUE(exists("page-figures/curves-1.json"));
  EXPECT_THAT(text_of_file(folder_->path() / "page.html"), HasSubstr("half.h5"));
  std::filesystem::remove(folder_->path() / "out/text-gates/half.h5");
}

TEST_F(ReportCommand, WhatCannotBeReportedIsSaid) {
  folder_->write("empty/readme.txt", "");
  const ProgramResult empty = call("report empty");
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_THAT(empty.errors, HasSubstr("empty"));
  EXPECT_EQ(call("report nowhere").exit_code, 2);
  const ProgramResult bare = run_program("report out", *folder_, "RELBIAS_CACHE=/nowhere");
  EXPECT_EQ(bare.exit_code, 2);
  EXPECT_THAT(bare.errors, HasSubstr("plotly.min.js: missing; experiments/setup fetches it"));
}

}  // namespace
}  // namespace relbias::experiments
