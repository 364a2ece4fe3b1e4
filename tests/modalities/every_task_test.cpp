// SPDX-License-Identifier: Apache-2.0
// tests: what every task promises, checked on each entry of the catalogue.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cmath>

#include "modalities/modality.h"

namespace relbias {
namespace {

struct Case {
  std::unique_ptr<Dataset> dataset;
  std::unique_ptr<Task> task;
  int64_t size = 0;  // one that the task accepts
};

// The first dataset of the modality that needs nothing from the user.
std::unique_ptr<Dataset> default_dataset(const std::string& modality) {
  for (const auto& entry : dataset_entries()) {
    if (entry.modality != modality) continue;
    try {
      return entry.make(parse_options("dataset", entry.name, entry.options));
    } catch (const InputError&) {
      continue;
    }
  }
  throw std::logic_error(modality + " has no dataset: has experiments/setup run?");
}

EvaluationRequest evaluation_of(int64_t size, int64_t batch = 4) {
  return {.size = size, .samples = 10, .tokens = 10 * size, .batch = batch};
}

class EveryTask : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const TaskEntry& entry = find_entry("task", GetParam(), task_entries());
    if (entry.needs_dataset) case_.dataset = default_dataset(entry.modality);
    case_.task = entry.make(parse_options("task", entry.name, entry.options), case_.dataset.get());
    for (const int64_t size : {32, 64, 16, 20, 8}) {
      try {
        task().check({size}, {evaluation_of(size)});
        case_.size = size;
        return;
      } catch (const InputError&) {
        continue;
      }
    }
    FAIL() << "no size that this test knows is accepted";
  }

  const Task& task() const { return *case_.task; }
  int64_t size() const { return case_.size; }
  Batch training(uint64_t seed, uint64_t step) const {
    return task().training({.size = size(), .batch = 10, .seed = seed, .step = step});
  }
  Batch evaluation(int64_t batch) const {
    std::vector<at::Tensor> inputs, targets, scored;
    task().evaluation(evaluation_of(size(), batch), [&](const Batch& some) {
      EXPECT_LE(some.inputs.size(0), batch);
      inputs.push_back(some.inputs);
      targets.push_back(some.targets);
      scored.push_back(some.scored);
    });
    Batch all;
    all.inputs = at::cat(inputs, 0);
    all.targets = at::cat(targets, 0);
    all.scored = at::cat(scored, 0);
    return all;
  }

 private:
  Case case_;
};

bool same(const Batch& a, const Batch& b) {
  return at::equal(a.inputs, b.inputs) && at::equal(a.targets, b.targets) &&
         at::equal(a.scored, b.scored);
}

void expect_wellformed(const Batch& batch, const TaskTraits& traits) {
  ASSERT_EQ(batch.targets.sizes(), batch.scored.sizes());
  EXPECT_EQ(batch.scored.scalar_type(), at::kBool);
  EXPECT_EQ(batch.targets.scalar_type(), at::kLong);
  EXPECT_TRUE(batch.scored.any(1).all().item<bool>()) << "a sample without a scored target";
  const at::Tensor answers = batch.targets.masked_select(batch.scored);
  EXPECT_GE(answers.min().item<int64_t>(), 0);
  EXPECT_LT(answers.max().item<int64_t>(), traits.outputs);
  if (batch.inputs.scalar_type() != at::kLong) return;
  EXPECT_GE(batch.inputs.min().item<int64_t>(), 0);
  EXPECT_LT(batch.inputs.max().item<int64_t>(), traits.vocabulary);
}

TEST_P(EveryTask, BatchesAreWellFormed) {
  const Batch batch = training(0, 0);
  EXPECT_EQ(batch.inputs.size(0), 10);
  expect_wellformed(batch, task().traits());
  expect_wellformed(evaluation(4), task().traits());
  ASSERT_FALSE(batch.structures.empty());
  EXPECT_TRUE(batch.structures.size() == 1 || batch.structures.size() == 10);
  EXPECT_EQ(batch.structures.front().keys, batch.inputs.size(1));
  EXPECT_EQ(batch.structures.front().queries, batch.structures.front().keys);
}

TEST_P(EveryTask, TheSameRequestGivesTheSameBatch) {
  EXPECT_TRUE(same(training(3, 5), training(3, 5)));
  at::rand({100});  // whatever the process drew in between
  EXPECT_TRUE(same(training(3, 5), training(3, 5)));
}

TEST_P(EveryTask, AnotherStepOrSeedGivesAnother) {
  EXPECT_FALSE(at::equal(training(0, 0).inputs, training(0, 1).inputs));
  EXPECT_FALSE(at::equal(training(0, 0).inputs, training(1, 0).inputs));
  EXPECT_FALSE(at::equal(training(0, 1).inputs, training(1, 0).inputs));
}

TEST_P(EveryTask, EvaluationIsTheSameEveryTimeAndForEveryBatchSize) {
  const Batch once = evaluation(4);
  EXPECT_EQ(once.inputs.size(0), 10);
  EXPECT_TRUE(same(once, evaluation(4)));
  EXPECT_TRUE(same(once, evaluation(1)));
  EXPECT_TRUE(same(once, evaluation(10)));
  EXPECT_TRUE(same(once, evaluation(1000)));
}

TEST_P(EveryTask, NoTrainingBatchIsTheEvaluation) {
  const at::Tensor held_out = evaluation(10).inputs;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    for (uint64_t step = 0; step < 40; ++step) {
      const at::Tensor trained = training(seed, step).inputs;
      for (int64_t b = 0; b < trained.size(0); ++b) {
        const at::Tensor equal = (held_out == trained[b]).flatten(1).all(1);
        ASSERT_FALSE(equal.any().item<bool>()) << "seed " << seed << " step " << step;
      }
    }
  }
}

TEST_P(EveryTask, EvaluationSamplesDiffer) {
  const at::Tensor inputs = evaluation(10).inputs.flatten(1);
  EXPECT_EQ(std::get<0>(at::unique_dim(inputs, 0)).size(0), inputs.size(0));
}

TEST_P(EveryTask, RefusesSizesThatAreNone) {
  EXPECT_THROW(task().check({0}, {}), InputError);
  EXPECT_THROW(task().check({-4}, {}), InputError);
  EXPECT_THROW(task().check({size()}, {evaluation_of(0)}), InputError);
  EvaluationRequest no_batch = evaluation_of(size());
  no_batch.batch = 0;
  EXPECT_THROW(task().check({size()}, {no_batch}), InputError);
}

TEST_P(EveryTask, SaysHowItIsJudged) {
  const TaskTraits traits = task().traits();
  EXPECT_FALSE(traits.metrics.empty());
  EXPECT_TRUE(std::isfinite(traits.chance));
  const TaskEntry& entry = find_entry("task", GetParam(), task_entries());
  EXPECT_FALSE(entry.summary.empty());
  EXPECT_NO_THROW(find_entry("relation", entry.relation, relation_entries()));
}

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const auto& entry : task_entries()) names.push_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryTask, testing::ValuesIn(task_names()),
                         [](const auto& task) {
                           std::string name = task.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace relbias
