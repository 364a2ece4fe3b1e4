// SPDX-License-Identifier: Apache-2.0
// tests: what every task promises, checked on each entry of the catalogue.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <set>

#include "modalities/code/tree_structure.h"
#include "modalities/graph/graph_structure.h"
#include "modalities/modality.h"

namespace relbias::modalities {
namespace {

struct Case {
  std::unique_ptr<Dataset> dataset;
  std::unique_ptr<Task> task;
  int64_t size = 0;  // one that the task accepts
};

// The first dataset of the modality that needs nothing from the user and suits the task; none where
// the task is about what only users have.
Case case_of(const TaskEntry& entry) {
  Case found;
  const Options options = parse_options("task", entry.name, entry.options);
  if (!entry.needs_dataset) {
    found.task = entry.make(options, nullptr);
    return found;
  }
  for (const auto& data : dataset_entries()) {
    if (data.modality != entry.modality) continue;
    try {
      found.dataset = data.make(parse_options("dataset", data.name, data.options));
      found.task = entry.make(options, found.dataset.get());
      return found;
    } catch (const InputError&) {
      continue;
    }
  }
  if (!found.dataset) {
    throw std::logic_error(entry.modality + " has no dataset: has experiments/setup run?");
  }
  return found;
}

EvaluationRequest evaluation_of(int64_t size, int64_t batch = 4) {
  return {.size = size, .samples = 10, .tokens = 10 * size, .batch = batch};
}

class EveryTask : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const TaskEntry& entry = find_entry("task", GetParam(), task_entries());
    case_ = case_of(entry);
    if (!case_.task) GTEST_SKIP() << "needs data that a user brings";
    // In a bin of few clips two samples can be the same.
    const TaskTraits traits = task().traits();
    const int64_t first = traits.binned && traits.features > 0 ? 200 : 32;
    for (const int64_t size :
         {first, int64_t{64}, int64_t{16}, int64_t{20}, int64_t{8}, int64_t{41}}) {
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
  std::vector<Batch> evaluation(int64_t batch) const {
    std::vector<Batch> batches;
    task().evaluation(evaluation_of(size(), batch), [&](const Batch& some) {
      EXPECT_LE(some.inputs.size(0), batch);
      batches.push_back(some);
    });
    return batches;
  }

 private:
  Case case_;
};

// A sample without its padding: what goes in, how it is connected, and the right answers.
struct Sample {
  at::Tensor inputs;
  std::vector<std::array<int64_t, 2>> edges;
  std::vector<int64_t> parents;
  std::vector<at::Tensor> answers;

  bool same_inputs(const Sample& other) const {
    return at::equal(inputs, other.inputs) && edges == other.edges && parents == other.parents;
  }
  bool operator==(const Sample& other) const {
    return same_inputs(other) &&
           std::equal(answers.begin(), answers.end(), other.answers.begin(), other.answers.end(),
                      [](const auto& a, const auto& b) { return at::equal(a, b); });
  }
};

std::vector<Sample> samples_of(const Batch& batch) {
  std::vector<Sample> samples;
  for (int64_t b = 0; b < batch.inputs.size(0); ++b) {
    Sample sample;
    sample.inputs = batch.inputs[b];
    if (batch.valid.defined()) sample.inputs = sample.inputs.index({batch.valid[b]});
    const size_t structure = batch.structures.size() == 1 ? 0 : static_cast<size_t>(b);
    sample.edges = graph_of(batch.structures[structure]).edges;
    sample.parents = tree_of(batch.structures[structure]).parents;
    for (const Answers& answers : batch.answers) {
      sample.answers.push_back(answers.targets[b].index({answers.scored[b]}));
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

std::vector<Sample> samples_of(const std::vector<Batch>& batches) {
  std::vector<Sample> all;
  for (const Batch& batch : batches) {
    for (auto& sample : samples_of(batch)) all.push_back(std::move(sample));
  }
  return all;
}

void expect_answers(const Question& question, const Answers& answers, const Batch& batch) {
  ASSERT_EQ(answers.targets.sizes(), answers.scored.sizes());
  EXPECT_EQ(answers.scored.scalar_type(), at::kBool);
  const bool token = question.about == Question::About::token;
  EXPECT_EQ(answers.targets.size(1), token ? batch.inputs.size(1) : 1);
  if (answers.guess_nats.defined()) {
    EXPECT_EQ(answers.guess_nats.sizes(), answers.targets.sizes());
    EXPECT_TRUE(at::isfinite(answers.guess_nats).all().item<bool>());
  }
  if (answers.guesses.defined()) {
    EXPECT_EQ(answers.guesses.sizes(), answers.targets.sizes());
    EXPECT_EQ(answers.guesses.scalar_type(), answers.targets.scalar_type());
  }
  const at::Tensor found = answers.targets.masked_select(answers.scored);
  if (found.numel() == 0) return;
  if (question.kind == Question::Kind::number) {
    EXPECT_TRUE(at::isfinite(found).all().item<bool>());
    return;
  }
  EXPECT_EQ(answers.targets.scalar_type(), at::kLong);
  const bool pointer = question.kind == Question::Kind::pointer;
  EXPECT_GE(found.min().item<int64_t>(), 0);
  EXPECT_LT(found.max().item<int64_t>(), pointer ? batch.inputs.size(1) : question.outputs);
}

void expect_wellformed(const Batch& batch, const TaskTraits& traits) {
  ASSERT_EQ(batch.answers.size(), traits.questions.size());
  for (size_t n = 0; n < batch.answers.size(); ++n) {
    expect_answers(traits.questions[n], batch.answers[n], batch);
  }
  EXPECT_TRUE(std::ranges::any_of(batch.answers, [](const Answers& answers) {
    return answers.scored.any().item<bool>();
  })) << "a batch without a target";
  if (batch.inputs.scalar_type() != at::kLong) {
    EXPECT_EQ(batch.inputs.size(2), traits.features);
    EXPECT_TRUE(at::isfinite(batch.inputs).all().item<bool>());
    return;
  }
  EXPECT_GE(batch.inputs.min().item<int64_t>(), 0);
  EXPECT_LT(batch.inputs.max().item<int64_t>(), traits.vocabulary);
}

TEST_P(EveryTask, BatchesAreWellFormed) {
  const Batch batch = training(0, 0);
  EXPECT_EQ(batch.inputs.size(0), 10);
  expect_wellformed(batch, task().traits());
  for (const Batch& some : evaluation(4)) expect_wellformed(some, task().traits());
  ASSERT_FALSE(batch.structures.empty());
  EXPECT_TRUE(batch.structures.size() == 1 || batch.structures.size() == 10);
  for (const Structure& structure : batch.structures) {
    EXPECT_LE(structure.keys, batch.inputs.size(1));
    EXPECT_EQ(structure.queries, structure.keys);
  }
}

TEST_P(EveryTask, TheSameRequestGivesTheSameBatch) {
  EXPECT_EQ(samples_of(training(3, 5)), samples_of(training(3, 5)));
  at::rand({100});  // whatever the process drew in between
  EXPECT_EQ(samples_of(training(3, 5)), samples_of(training(3, 5)));
}

TEST_P(EveryTask, ProcessesShareTheSamplesOfAStep) {
  const Batch whole = training(3, 5);
  std::vector<Batch> shares;
  for (int64_t rank = 0; rank < 5; ++rank) {
    shares.push_back(share_of(
        whole, {.size = size(), .batch = 10, .seed = 3, .step = 5, .rank = rank, .processes = 5}));
    EXPECT_EQ(shares.back().inputs.size(0), 2);
  }
  EXPECT_EQ(samples_of(shares), samples_of(whole));
  EXPECT_THROW(
      share_of(whole,
               {.size = size(), .batch = 10, .seed = 3, .step = 5, .rank = 0, .processes = 3}),
      InputError);
}

TEST_P(EveryTask, AnotherStepOrSeedGivesAnother) {
  EXPECT_NE(samples_of(training(0, 0)), samples_of(training(0, 1)));
  EXPECT_NE(samples_of(training(0, 0)), samples_of(training(1, 0)));
  EXPECT_NE(samples_of(training(0, 1)), samples_of(training(1, 0)));
}

TEST_P(EveryTask, EvaluationIsTheSameEveryTimeAndForEveryBatchSize) {
  const auto once = samples_of(evaluation(4));
  EXPECT_GE(once.size(), 1u);
  EXPECT_LE(once.size(), 10u);
  for (const int64_t batch : {4, 1, 10, 1000}) EXPECT_EQ(once, samples_of(evaluation(batch)));
}

TEST_P(EveryTask, NoTrainingBatchIsTheEvaluation) {
  const auto held_out = samples_of(evaluation(10));
  for (uint64_t seed = 0; seed < 3; ++seed) {
    for (uint64_t step = 0; step < 40; ++step) {
      for (const Sample& trained : samples_of(training(seed, step))) {
        for (const Sample& other : held_out) {
          ASSERT_FALSE(trained.same_inputs(other)) << "seed " << seed << " step " << step;
        }
      }
    }
  }
}

// csl has ten graphs and no more, whatever the split.
TEST_P(EveryTask, ValidationIsNotTheTest) {
  if (GetParam() == "csl") GTEST_SKIP() << "has ten inputs in all";
  const auto of = [&](Split split) {
    EvaluationRequest request = evaluation_of(size());
    request.split = split;
    std::vector<Batch> batches;
    task().evaluation(request, [&](const Batch& some) { batches.push_back(some); });
    return samples_of(batches);
  };
  const auto tested = of(Split::test), chosen_on = of(Split::validation);
  ASSERT_FALSE(chosen_on.empty());
  EXPECT_EQ(chosen_on, of(Split::validation));
  for (const Sample& sample : chosen_on) {
    for (const Sample& other : tested) EXPECT_FALSE(sample.same_inputs(other));
  }
}

TEST_P(EveryTask, SamplesOfOneSourceStandTogether) {
  std::vector<std::string> sources;
  size_t samples = 0;
  for (const Batch& batch : evaluation(4)) {
    samples += static_cast<size_t>(batch.inputs.size(0));
    sources.insert(sources.end(), batch.sources.begin(), batch.sources.end());
  }
  if (sources.empty()) return;
  EXPECT_EQ(sources.size(), samples);
  const auto end = std::unique(sources.begin(), sources.end());
  EXPECT_EQ(std::set<std::string>(sources.begin(), end).size(),
            static_cast<size_t>(end - sources.begin()));
}

TEST_P(EveryTask, EvaluationSamplesDiffer) {
  const auto samples = samples_of(evaluation(10));
  for (size_t a = 0; a < samples.size(); ++a) {
    for (size_t b = 0; b < a; ++b) EXPECT_FALSE(samples[a].same_inputs(samples[b])) << a << b;
  }
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
  const TaskEntry& entry = find_entry("task", GetParam(), task_entries());
  for (const Answers& answers : training(0, 0).answers) {
    EXPECT_EQ(answers.guesses.defined(), !entry.trivial.empty());
  }
  EXPECT_TRUE(std::isfinite(traits.chance) || !entry.trivial.empty());
  EXPECT_EQ(entry.kind == TaskKind::gate, !entry.ability.empty());
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
}  // namespace relbias::modalities
