// SPDX-License-Identifier: Apache-2.0
// tests: what `relbias inspect` says of a run.
#include "results/print/inspect.h"

#include <gmock/gmock.h>

#include "tests/results/example_run.h"

namespace relbias::results {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Inspect, SaysWhatARunWas) {
  const std::string text = render_run(example_run());
  for (const char* part :
       {"run 0123456789ab of study quickstart: running\n", "can be continued from step 20",
        "stopped at step 20 – weiter", "t5 num_buckets=8, relation token",
        "text: language-model on shakespeare (SHA-1 da39a3ee), trained at 128, seed 3",
        "data        shakespeare, 2 of 3 files read (1 empty)\n",
        "25000, 256 of them of the encoding", "cpu, 2 threads, reference attention",
        "libtorch 2.11.0", "training, 2 logged steps", "undefined",
        "bits-per-byte at 256: no rows past its table",
        "encoding/10/key@grid: 1 head x 2 relation x 2 width (relation grid)",
        "attention/largest: one number", "\nconfig\n\nseed = 3\n\n[model]\nlayers = 2\n"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(Inspect, SaysHowItEnded) {
  RunRecord run = example_run();
  run.status = RunStatus::diverged;
  run.checkpoint.reset();
  run.train.clear();
  run.evaluation.clear();
  const std::string text = render_run(run);
  EXPECT_THAT(text, HasSubstr("of study quickstart: diverged\n"));
  EXPECT_THAT(text, HasSubstr("no training step was logged\n"));
  EXPECT_THAT(text, HasSubstr("nothing was evaluated\n"));
  EXPECT_THAT(text, Not(HasSubstr("continued")));
}

TEST(Inspect, SaysWhatCanBeContinued) {
  RunRecord run = example_run();
  run.status = RunStatus::failed;
  EXPECT_THAT(render_run(run), HasSubstr(": failed\ncan be continued from step 20: "));
  run.checkpoint.reset();
  EXPECT_THAT(render_run(run), Not(HasSubstr("continued")));
  EXPECT_THAT(render_run(run), Not(HasSubstr("has no checkpoint yet")));  // and never will
  run.status = RunStatus::running;
  EXPECT_THAT(render_run(run), HasSubstr(": running\nhas no checkpoint yet\n"));
}

TEST(Inspect, LongTrainingsAreThinnedFromFirstToLast) {
  RunRecord run = example_run();
  run.train.resize(1000);
  for (size_t i = 0; i < run.train.size(); ++i) run.train[i].step = static_cast<int64_t>(i) + 1;
  const std::string text = render_run(run);
  EXPECT_THAT(text, HasSubstr("training, 1000 logged steps"));
  EXPECT_THAT(text, HasSubstr("\n1     "));
  EXPECT_THAT(text, HasSubstr("\n1000  "));
  EXPECT_LT(std::ranges::count(text, '\n'), 60);
}

}  // namespace
}  // namespace relbias::results
