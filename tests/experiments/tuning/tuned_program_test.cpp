// SPDX-License-Identifier: Apache-2.0
// tests/experiments/tuning: tuning as the program does it, in parts that wait for each other.
#include <gmock/gmock.h>

#include "tests/experiments/program.h"
#include "tests/experiments/studies.h"

namespace relbias::experiments {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string study = tiny_study(R"(
[tune]
over   = {"train.learning_rate" = [1e-3, 3e-3]}
trials = 2
seeds  = [100]

[sweep]
seed = [0, 1]
)");

TEST(TunedProgram, ChosenRunsOfAShardWaitForAllTrials) {
  const ScratchFolder folder;
  folder.write("tuned.toml", study);
  const std::string run = "run tuned.toml --set train.steps=2 --out runs --jobs 1 --shard ";
  const ProgramResult first = run_program(run + "1/2", folder);
  EXPECT_EQ(first.exit_code, 1) << first.errors;
  EXPECT_THAT(first.errors, HasSubstr("1 of 2 trials are not finished, and the runs wait"));
  EXPECT_EQ(run_program(run + "2/2", folder).exit_code, 0);
  EXPECT_EQ(run_program(run + "1/2", folder).exit_code, 0);
  EXPECT_THAT(run_program("table runs", folder).output,
              AllOf(HasSubstr("seeds 0, 1;"), HasSubstr("; tuned: 2 trials each")));
  EXPECT_THAT(run_program("table runs --tuning", folder).output, HasSubstr("chosen"));
}

// A scheduler that writes down what it is asked.
TEST(TunedProgram, SubmitsTrialsFirstAndRunsBehindThem) {
  const ScratchFolder folder;
  folder.write("tuned.toml", study);
  folder.write("sbatch", "#!/bin/sh\necho \"$@\" >> asked.txt\necho '41;cluster'\n");
  std::filesystem::permissions(folder.path() / "sbatch", std::filesystem::perms::owner_all);
  const ProgramResult result =
      run_program("submit tuned.toml --slurm --out runs", folder, "PATH=.:$PATH");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  const std::string asked = text_of_file(folder.path() / "asked.txt");
  const auto runs = (folder.path() / "runs").string();
  EXPECT_EQ(asked, "--parsable " + runs + "/submit-tune.sh\n--dependency=afterany:41 " + runs +
                       "/submit.sh\n");
  EXPECT_THAT(text_of_file(folder.path() / "runs" / "submit-tune.sh"),
              AllOf(HasSubstr("#SBATCH --array=1-2\n"), HasSubstr("relbias' tune ")));
  EXPECT_THAT(text_of_file(folder.path() / "runs" / "submit.sh"),
              AllOf(HasSubstr("#SBATCH --array=1-2\n"), HasSubstr("relbias' run ")));
}

}  // namespace
}  // namespace relbias::experiments
