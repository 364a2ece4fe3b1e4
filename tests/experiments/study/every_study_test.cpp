// SPDX-License-Identifier: Apache-2.0
// tests/experiments/study: every study that comes with the program says what it is for, and its
// smoke size runs from the command line to the table.
#include <gmock/gmock.h>

#include <algorithm>

#include "experiments/study/study.h"
#include "results/store/store.h"
#include "tests/experiments/program.h"
#include "tests/python.h"
#include "tests/source_folder.h"

namespace relbias::experiments {
namespace {

class EveryStudy : public testing::TestWithParam<std::string> {};

TEST_P(EveryStudy, SaysWhatItIsFor) {
  const Study study = load_study(GetParam());
  EXPECT_FALSE(study.question.empty());
  EXPECT_FALSE(study.expected.empty());
  EXPECT_FALSE(study.cost.empty());
  for (const Part& part : study.parts) EXPECT_FALSE(part.smoke.empty()) << part.name;
  EXPECT_FALSE(study.claims.empty());
  EXPECT_FALSE(expand(study, {}).empty());
}

TEST_P(EveryStudy, RunsAtItsSmokeSize) {
  const ScratchFolder folder;
  const ProgramResult run = run_program("run " + GetParam() + " --smoke --out out", folder);
  EXPECT_EQ(run.exit_code, 0) << run.output << run.errors;
  const auto expected = expand(load_study(GetParam()), {.smoke = true, .set = {}, .only = {}});
  const RunsRead read = read_runs(folder.path() / "out" / GetParam());
  EXPECT_THAT(read.problems, testing::IsEmpty());
  // Beside them lie the trials of a study that tunes.
  EXPECT_EQ(std::ranges::count(read.runs, "run", &RunRecord::role), std::ssize(expected));
  for (const auto& record : read.runs) {
    EXPECT_EQ(record.status, RunStatus::done) << record.encoding << ": " << record.message;
    EXPECT_FALSE(record.evaluation.empty()) << record.encoding;
  }
  std::string files;
  for (const auto& record : read.runs) files += " " + record.file;
  const auto [recomputed, status] =
      run_command(python() + " " + source_folder() + "/tests/results/recompute.py" + files);
  EXPECT_EQ(status, 0) << recomputed;
  const ProgramResult table = run_program("table out", folder);
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  EXPECT_THAT(table.output, testing::Not(testing::HasSubstr("no runs of both encodings")));
  for (const auto& record : read.runs) {
    EXPECT_THAT(table.output, testing::HasSubstr(record.encoding));
  }
}

INSTANTIATE_TEST_SUITE_P(Studies, EveryStudy, testing::ValuesIn(study_names()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace relbias::experiments
