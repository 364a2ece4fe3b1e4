// SPDX-License-Identifier: Apache-2.0
// tests/experiments/tuning: which trial is chosen, and that test data take no part in it.
#include "experiments/tuning/choice.h"

#include <gmock/gmock.h>

#include <cmath>

#include "experiments/evaluation/evaluation.h"
#include "experiments/run/perform.h"
#include "experiments/run/trainer.h"
#include "results/metrics/metric.h"
#include "tests/experiments/tuning/tuned_studies.h"

namespace relbias::experiments {
namespace {

using testing::HasSubstr;

RunRecord trial(double accuracy, double loss, RunStatus status = RunStatus::done) {
  RunRecord run;
  run.role = "trial";
  run.status = status;
  run.settings["evaluate.split"] = "validation";
  run.primary_metric = "accuracy";
  run.better = "higher";
  run.evaluation = {{.size = 12, .metric = "accuracy", .value = accuracy},
                    {.size = 12, .metric = "cross-entropy", .value = loss},
                    {.size = 12, .condition = "position 1-16", .metric = "accuracy", .value = 1}};
  return run;
}

size_t best(const std::vector<std::vector<RunRecord>>& trials) {
  return best_of(trials).value().trial;
}

TEST(Choice, IsTheBestByTheFirstMetricThenTheLossThenTheOrder) {
  EXPECT_EQ(best({{trial(0.5, 1)}, {trial(0.6, 3)}, {trial(0.4, 0.5)}}), 1U);
  EXPECT_EQ(best({{trial(0.6, 1)}, {trial(0.6, 0.5)}, {trial(0.6, 0.5)}}), 1U);
  EXPECT_EQ(best({{trial(0.6, NAN)}, {trial(0.6, 2)}}), 1U);
  // Over the seeds of a trial: .5 against .55.
  EXPECT_EQ(best({{trial(0.9, 1), trial(0.1, 1)}, {trial(0.5, 1), trial(0.6, 1)}}), 1U);
  auto low = trial(0.2, 1);
  low.better = "lower";
  auto high = trial(0.9, 1);
  high.better = "lower";
  EXPECT_EQ(best({{high}, {low}}), 1U);
}

TEST(Choice, DivergedTrialsComeLast) {
  const RunRecord diverged = trial(0.99, 0, RunStatus::diverged);
  EXPECT_EQ(best({{diverged}, {trial(0.1, 9)}}), 1U);
  EXPECT_EQ(best({{trial(NAN, NAN)}, {trial(0.1, 9)}}), 1U);
  EXPECT_EQ(best({{trial(0.9, 1), diverged}, {trial(0.1, 9), trial(0.1, 9)}}), 1U);
  const Choice none = best_of({{diverged}, {diverged}}).value();
  EXPECT_TRUE(none.diverged);
  EXPECT_EQ(none.trial, 0U);
}

TEST(Choice, WaitsForAllTrials) {
  EXPECT_FALSE(best_of({{trial(0.5, 1)}, {trial(0.6, 1, RunStatus::running)}}));
  EXPECT_FALSE(best_of({{trial(0.5, 1)}, {trial(0.6, 1, RunStatus::failed)}}));
}

TEST(Choice, RefusesWhatWasEvaluatedOnTestData) {
  RunRecord run = trial(0.5, 1);
  run.settings["evaluate.split"] = "test";
  EXPECT_THAT(input_error_of([&] { best_of({{run}}); }), HasSubstr("validation split expected"));
}

// Hands on what is asked of another task, as long as it is not of the test split.
class Locked : public Task {
 public:
  Locked(std::unique_ptr<Task> task, const bool& unlocked, int64_t& looks)
      : task_(std::move(task)), unlocked_(unlocked), looks_(looks) {}

  TaskTraits traits() const override { return task_->traits(); }
  int64_t tokens(int64_t size) const override { return task_->tokens(size); }
  Batch training(const TrainingRequest& request) const override { return task_->training(request); }
  void evaluation(const EvaluationRequest& request,
                  const std::function<void(const Batch&)>& use) const override {
    looks_ += request.split == Split::test ? 1 : 0;
    if (request.split == Split::test && !unlocked_) {
      throw std::runtime_error("test data cannot be read");
    }
    task_->evaluation(request, use);
  }
  void check(const std::vector<int64_t>& train_sizes,
             const std::vector<EvaluationRequest>& evaluations) const override {
    task_->check(train_sizes, evaluations);
  }

 private:
  std::unique_ptr<Task> task_;
  const bool& unlocked_;
  int64_t& looks_;
};

// One run in this process, on a task that may be locked.
RunRecord carried_out(const Run& run, const bool& unlocked, int64_t& looks) {
  DatasetCache cache;
  Experiment experiment = build(run.config, cache);
  experiment.task = std::make_unique<Locked>(std::move(experiment.task), unlocked, looks);
  Trainer trainer(run.config, experiment);
  while (!trainer.finished()) trainer.advance();
  RunRecord record = new_record("tuned", run.config, {run.role, run.tuning});
  record.primary_metric = experiment.traits.metrics.front();
  record.better = better(record.primary_metric);
  record.evaluation = evaluate(run.config, experiment, [](int64_t) {}).rows;
  record.status = RunStatus::done;
  return record;
}

// Two axes, five encodings, one of them none.
TEST(Choice, IsMadeWhileTestDataCannotBeRead) {
  const Study study = tuned_study();
  const Selection selection{.set = {"train.steps=3"}};
  bool unlocked = false;
  int64_t looks = 0, trials = 0;
  Choices choices;
  for (const TunedCell& cell : tuned_cells(study, selection)) {
    std::vector<std::vector<RunRecord>> records;
    for (const auto& seeds : cell.trials) {
      records.emplace_back();
      for (const auto& run : seeds) records.back().push_back(carried_out(run, unlocked, looks));
      ++trials;
    }
    choices[cell.name] = best_of(records).value();
    // By hand, from the rows that were found.
    for (size_t n = 0; n < records.size(); ++n) {
      const double value = records[n][0].evaluation[0].value;
      EXPECT_LE(value, records[choices[cell.name].trial][0].evaluation[0].value) << cell.name << n;
    }
  }
  EXPECT_EQ(trials, 2 + 6 + 2 + 6 + 6);
  EXPECT_EQ(looks, 0);
  const auto runs = expand(study, selection, choices);
  ASSERT_EQ(runs.size(), 10U);
  EXPECT_ANY_THROW(carried_out(runs[0], unlocked, looks));
  unlocked = true;
  looks = 0;
  const RunRecord last = carried_out(runs.back(), unlocked, looks);
  EXPECT_EQ(looks, 2);  // sizes 12 and 24
  EXPECT_EQ(last.encoding, "learned");
}

}  // namespace
}  // namespace relbias::experiments
