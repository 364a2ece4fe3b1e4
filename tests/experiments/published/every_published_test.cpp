// SPDX-License-Identifier: Apache-2.0
// tests/experiments/published: every published table supports its own claims, and the studies that
// re-run it name encodings that there are and cover the sizes that it claims something of.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "encodings/encoding.h"
#include "experiments/published/tables.h"
#include "experiments/run/record/identity.h"
#include "experiments/study/study.h"
#include "modalities/plain/files.h"
#include "results/claims/naming.h"
#include "tests/experiments/program.h"
#include "tests/results/claims/supports.h"
#include "tests/source_folder.h"

namespace relbias::experiments {
namespace {

namespace fs = std::filesystem;

fs::path folder() { return fs::path(source_folder()) / "experiments" / "published"; }

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(folder())) {
    if (file.path().extension() == ".toml") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class EveryPublished : public testing::TestWithParam<std::string> {
 protected:
  Published table() const {
    return parse_published(read_file(folder() / (GetParam() + ".toml")), GetParam());
  }
  static std::string study(const std::string& name) {
    const char* size = name.ends_with("-scaled") ? "scaled" : "full";
    return (folder() / "studies" / size / (name + ".toml")).string();
  }
};

TEST_P(EveryPublished, SupportsItsOwnClaims) {
  for (const PublishedClaim& claim : table().claims) {
    EXPECT_TRUE(supports(table(), claim)) << claim_text(claim.claim);
  }
}

TEST_P(EveryPublished, SaysWhatIsNeededAndWhatDiffers) {
  EXPECT_FALSE(table().ours.data.empty());
  EXPECT_FALSE(table().ours.deviates.empty());
  EXPECT_FALSE(table().citation.empty());
}

TEST_P(EveryPublished, StudiesCoverWhatIsClaimed) {
  const Published published = table();
  for (const std::string& name : {GetParam(), GetParam() + "-scaled"}) {
    const auto runs = expand(load_study(study(name)), {});
    const RunConfig& config = runs.front().config;
    for (const PublishedClaim& claim : published.claims) {
      const auto is_evaluated = [&](int64_t size) {
        const double factor = static_cast<double>(size) / static_cast<double>(config.train.size);
        return std::abs(std::log(factor / claim.claim.at)) <= std::log(1.05);
      };
      EXPECT_TRUE(std::ranges::any_of(config.evaluate.sizes, is_evaluated))
          << name << ": nothing at " << claim.claim.at;
    }
  }
}

// An option that has its default is no part of a run's label: `kerple variant=log` is kerple.
TEST_P(EveryPublished, ItsClaimsNameEncodingsOfItsStudy) {
  const auto runs = expand(load_study(study(GetParam())), {});
  for (const Claim& claim : our_claims(read_published(GetParam()))) {
    for (const std::string& wanted : {claim.better, claim.worse}) {
      EXPECT_TRUE(std::ranges::any_of(runs, [&](const auto& run) {
        return results::is_meant(recorded_positions(run.config), wanted);
      })) << wanted;
    }
  }
}

TEST_P(EveryPublished, RunsScaledAtItsSmokeSize) {
  const ScratchFolder scratch;
  const std::string arguments = "reproduce " + GetParam() + " --scaled --smoke --out out";
  const ProgramResult run = run_program(arguments, scratch);
  EXPECT_EQ(run.exit_code, 0) << run.output << run.errors;
  EXPECT_THAT(run.output, testing::HasSubstr("1x published"));
  EXPECT_THAT(run.output, testing::HasSubstr("source: "));
}

INSTANTIATE_TEST_SUITE_P(Tables, EveryPublished, testing::ValuesIn(names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Two models of two steps each once "reproduced" an ordering.
TEST(Reproduce, WhatGuessesReproducesNothing) {
  const ScratchFolder scratch;
  ProgramResult run;
  for (const char* seed : {"0", "1"}) {
    run = run_program(fmt::format("reproduce small-lm-128 --scaled --smoke --out out --set seed={} "
                                  "--only model.encoding=alibi,rope",
                                  seed),
                      scratch);
    ASSERT_EQ(run.exit_code, 0) << run.errors;
  }
  EXPECT_THAT(run.output, testing::HasSubstr("unlearned   rope before alibi at 1x"));
  EXPECT_THAT(run.output, testing::HasSubstr("is not above guessing"));
  EXPECT_THAT(run.output, testing::Not(testing::HasSubstr("holds  ")));
  EXPECT_THAT(run.output, testing::HasSubstr("after the published set-up, which it is not: data"));
  EXPECT_THAT(run.output, testing::HasSubstr("2 samples, each a block of 32 bytes; not tuned"));
}

TEST(Reproduce, FaultsSayWhatToDo) {
  const ScratchFolder scratch;
  const ProgramResult unknown = run_program("reproduce alibi-wikitext-512", scratch);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.errors, testing::HasSubstr("did you mean 'alibi-wikitext103-512'?"));
  const ProgramResult full = run_program("reproduce alibi-wikitext103-512", scratch);
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_THAT(full.errors, testing::HasSubstr("--set 'data.dataset="));
  EXPECT_THAT(full.output, testing::HasSubstr("published: perplexity"));  // even without the data
  EXPECT_THAT(full.errors, testing::HasSubstr("relbias reproduce alibi-wikitext103-512 --scaled"));
}

TEST(Submit, WritesAJobArrayOfShards) {
  const ScratchFolder scratch;
  const ProgramResult script = run_program(
      "submit text-gates --slurm --dry-run --tasks 5 --out 'my runs' "
      "--only data.task=flip-flop --time 01:00:00",
      scratch);
  EXPECT_EQ(script.exit_code, 0) << script.errors;
  EXPECT_THAT(script.output, testing::HasSubstr("#SBATCH --array=1-5\n"));
  EXPECT_THAT(script.output, testing::HasSubstr("#SBATCH --time=01:00:00\n"));
  EXPECT_THAT(script.output, testing::HasSubstr("--only 'data.task=flip-flop'"));
  EXPECT_THAT(script.output, testing::HasSubstr("--shard \"$SLURM_ARRAY_TASK_ID/5\""));
  EXPECT_THAT(script.output, testing::HasSubstr("/my runs' --jobs 1"));
  // A path with a space is one word for sbatch, too.
  EXPECT_THAT(script.output, testing::HasSubstr("\n#SBATCH --output='/"));
  EXPECT_THAT(script.output, testing::HasSubstr("/my runs/slurm-%A-%a.log'\n"));
  // Without B: Slurm signals job steps only, and there is none.
  EXPECT_THAT(script.output, testing::HasSubstr("\n#SBATCH --signal=B:TERM@120\n"));
  EXPECT_EQ(run_program("submit text-gates --dry-run", scratch).exit_code, 2);
  // Without Slurm the script is kept, and its place said.
  const ProgramResult here =
      run_program("submit text-gates --slurm --out runs", scratch, "PATH=/nowhere");
  EXPECT_EQ(here.exit_code, 2);
  EXPECT_THAT(here.errors, testing::HasSubstr("runs/submit.sh"));
  EXPECT_TRUE(fs::exists(scratch.path() / "runs" / "submit.sh"));
}

}  // namespace
}  // namespace relbias::experiments
