// SPDX-License-Identifier: Apache-2.0
// tests: what `relbias table --tuning` prints of trials.
#include "results/print/tuning_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/results/table_runs.h"

namespace relbias::results {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

RunRecord trial(const std::string& encoding, int64_t number, double value) {
  RunRecord run = table_run(encoding, 100, {{1, value}});
  run.run_id += fmt::format("-{}", number);
  run.role = "trial";
  run.tuning = fmt::format(
      R"({{"cell":"{}","trial":{},"trials":2,"setting":{{"train.learning_rate":"0.00{}"}}}})",
      encoding, number, number);
  return run;
}

RunRecord chosen(const std::string& encoding, const std::string& more) {
  RunRecord run = table_run(encoding, 0, {{1, 0.99}});
  run.tuning = fmt::format(
      R"({{"cell":"{}","trials":2,"of":6,"chosen":{{"train.learning_rate":"0.002"}}{}}})", encoding,
      more);
  return run;
}

std::vector<RunRecord> tuned_runs() {
  return {trial("t5", 1, 0.6), trial("t5", 2, 0.9),
          chosen("t5", R"(,"edge":["train.learning_rate"])")};
}

TEST(TuningTable, HasEveryTrialAndWhichWasChosen) {
  const std::string text = render_tuning(tuned_runs(), TableFormat::markdown);
  EXPECT_THAT(text, AllOf(HasSubstr("| t5 | 1 | train.learning\\_rate=0.001 | 0.600 |"),
                          HasSubstr("| t5 | 2 | train.learning\\_rate=0.002 | **0.900** |"),
                          HasSubstr("evaluated on the validation split at the training size"),
                          HasSubstr("t5: the choice is at the edge of the grid of "
                                    "train.learning\\_rate")));
  const std::string csv = render_tuning(tuned_runs(), TableFormat::csv);
  EXPECT_THAT(csv, AllOf(HasSubstr(",t5,1,train.learning_rate=0.001,accuracy,0.600,"),
                         HasSubstr(",1,chosen\n"), Not(HasSubstr("0.990"))));
}

TEST(TuningTable, AllDivergedIsNoChoice) {
  std::vector<RunRecord> runs = tuned_runs();
  for (RunRecord& run : runs) run.status = RunStatus::diverged;
  runs.back() = chosen("t5", R"(,"diverged":true)");
  const std::string text = render_tuning(runs, TableFormat::text);
  EXPECT_THAT(text, AllOf(HasSubstr("diverged in tuning"), Not(HasSubstr("chosen"))));
}

TEST(TuningTable, OfWhatWasNotTunedIsAnError) {
  EXPECT_THROW(render_tuning({table_run("t5", 0, {{1, 0.9}})}, TableFormat::text), StoreError);
}

}  // namespace
}  // namespace relbias::results
