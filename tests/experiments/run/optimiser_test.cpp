// SPDX-License-Identifier: Apache-2.0
// tests/experiments/run: AdamW against its definition and against LibTorch's own; learning rates.
#include "experiments/run/optimiser.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <torch/optim/adamw.h>

#include <cmath>

#include "experiments/run/experiment.h"
#include "experiments/run/schedule.h"
#include "tests/experiments/studies.h"

namespace relbias::experiments {
namespace {

using torch::Tensor;

std::unique_ptr<Optimiser> optimiser_of(const ParameterGroup& group,
                                        const std::vector<double>& betas,
                                        const std::string& name = "adamw") {
  TrainConfig config;
  config.betas = betas;
  config.optimiser = name;
  return make_optimiser(config, {group});
}

// The gradient of step t, the same whoever asks.
Tensor gradient(int t) { return at::arange(1.0, 7.0).view({2, 3}) * std::sin(1.0 + t); }

Tensor start() { return at::linspace(-1, 1, 6).view({2, 3}).clone().set_requires_grad(true); }

TEST(AdamW, IsTheDefinition) {
  const Tensor weight = start();
  const auto optimiser = optimiser_of({{weight}, 10.0, 0.1}, {0.9, 0.99});
  std::vector<double> expected(6), m(6, 0.0), v(6, 0.0);
  for (int i = 0; i < 6; ++i) expected[i] = -1 + 0.4 * i;
  for (int t = 1; t <= 5; ++t) {
    weight.mutable_grad() = gradient(t);
    optimiser->step(1e-3);
    const double rate = 10.0 * 1e-3;
    for (int i = 0; i < 6; ++i) {
      const double g = (i + 1) * std::sin(1.0 + t);
      expected[i] -= rate * 0.1 * expected[i];
      m[i] = 0.9 * m[i] + 0.1 * g;
      v[i] = 0.99 * v[i] + 0.01 * g * g;
      expected[i] -= rate * (m[i] / (1 - std::pow(0.9, t))) /
                     (std::sqrt(v[i] / (1 - std::pow(0.99, t))) + 1e-8);
    }
  }
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(weight.flatten()[i].item<double>(), expected[i], 1e-6) << i;
  }
}

TEST(AdamW, AgreesWithLibTorch) {
  const Tensor ours = start(), theirs = start();
  const auto optimiser = optimiser_of({{ours}, 1.0, 0.01}, {0.9, 0.999});
  torch::optim::AdamW reference({theirs}, torch::optim::AdamWOptions(3e-3).weight_decay(0.01));
  for (int t = 0; t < 20; ++t) {
    ours.mutable_grad() = gradient(t);
    theirs.mutable_grad() = gradient(t);
    optimiser->step(3e-3);
    reference.step();
  }
  EXPECT_TRUE(at::allclose(ours, theirs, 0, 1e-6)) << ours - theirs;
}

TEST(AdamW, LeavesParametersWithoutGradientAlone) {
  const Tensor used = start(), unused = start();
  const auto optimiser = optimiser_of({{used, unused}, 1.0, 0.1}, {0.9, 0.999});
  used.mutable_grad() = gradient(1);
  optimiser->step(1e-2);
  EXPECT_TRUE(at::equal(unused, start()));
  EXPECT_FALSE(at::equal(used, start()));
}

TEST(Sgd, IsTheDefinition) {
  const Tensor weight = start();
  const auto optimiser = optimiser_of({{weight}, 10.0, 0.1}, {}, "sgd momentum=0.5");
  std::vector<double> expected(6), b(6, 0.0);
  for (int i = 0; i < 6; ++i) expected[i] = -1 + 0.4 * i;
  for (int t = 1; t <= 5; ++t) {
    weight.mutable_grad() = gradient(t);
    optimiser->step(1e-3);
    for (int i = 0; i < 6; ++i) {
      expected[i] -= 1e-2 * 0.1 * expected[i];
      b[i] = 0.5 * b[i] + (i + 1) * std::sin(1.0 + t);
      expected[i] -= 1e-2 * b[i];
    }
  }
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(weight.flatten()[i].item<double>(), expected[i], 1e-6) << i;
  }
  EXPECT_EQ(optimiser->state().size(), 1U);
}

TEST(ParameterGroups, PositionsHaveTheirRateAndOnlyMatricesDecay) {
  const auto run = tiny_run({"train.encoding_rate=10"});
  DatasetCache cache;
  const Experiment experiment = build(run.config, cache);
  const auto groups = parameter_groups(*experiment.model, 0.1);
  size_t grouped = 0;
  bool has_positions = false;
  for (const auto& group : groups) {
    grouped += group.parameters.size();
    has_positions |= group.rate == 10.0;
    const bool decays = group.weight_decay > 0;
    EXPECT_FALSE(decays && group.rate == 10.0);
    for (const auto& parameter : group.parameters) EXPECT_FALSE(decays && parameter.dim() < 2);
  }
  EXPECT_TRUE(has_positions);
  EXPECT_EQ(grouped, experiment.model->parameters().size());
}

TEST(LearningRate, RisesLinearlyAndFallsAlongACosine) {
  TrainConfig config;
  config.steps = 30;
  config.warmup = 10;
  config.learning_rate = 2.0;
  EXPECT_DOUBLE_EQ(learning_rate(config, 0), 0.2);
  EXPECT_DOUBLE_EQ(learning_rate(config, 9), 2.0);
  EXPECT_DOUBLE_EQ(learning_rate(config, 10), 2.0);
  EXPECT_DOUBLE_EQ(learning_rate(config, 20), 1.0);
  EXPECT_NEAR(learning_rate(config, 30), 0.0, 1e-12);
  EXPECT_GT(learning_rate(config, 29), 0.0);
  config.warmup = 30;  // nothing but warm-up
  EXPECT_DOUBLE_EQ(learning_rate(config, 29), 2.0);
}

TEST(LearningRate, GoesOnAsTheScheduleSays) {
  TrainConfig config;
  config.steps = 30;
  config.warmup = 10;
  config.learning_rate = 2.0;
  const auto rate = [&](const std::string& schedule, int64_t step) {
    config.schedule = schedule;
    return learning_rate(config, step);
  };
  EXPECT_DOUBLE_EQ(rate("constant", 29), 2.0);
  EXPECT_DOUBLE_EQ(rate("linear", 4), 1.0);  // still warming up
  EXPECT_DOUBLE_EQ(rate("linear", 25), 0.5);
  EXPECT_DOUBLE_EQ(rate("inverse-sqrt", 10), 2.0);
  EXPECT_DOUBLE_EQ(rate("inverse-sqrt", 20), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(rate("plateau decay=0.5", 20), 2.0);
  EXPECT_DOUBLE_EQ(rate("plateau decay=0.5", 25), 1.0);
  EXPECT_DOUBLE_EQ(rate("cosine floor=0.1", 20), 2.0 * (0.1 + 0.9 / 2));
}

TEST(LearningRate, AScheduleIsAnOptionString) {
  EXPECT_EQ(tiny_run({"train.schedule=cosine floor=0.0"}).config.train.schedule, "cosine");
  EXPECT_THAT(input_error_of([] { tiny_run({"train.schedule=cosin"}); }),
              testing::HasSubstr("unknown schedule 'cosin': did you mean 'cosine'?"));
  EXPECT_THAT(input_error_of([] { tiny_run({"train.optimiser=adamw floor=1"}); }),
              testing::HasSubstr("train.optimiser"));
}

}  // namespace
}  // namespace relbias::experiments
