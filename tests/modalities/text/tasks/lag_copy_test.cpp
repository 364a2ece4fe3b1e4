// SPDX-License-Identifier: Apache-2.0
// tests: task `lag-copy`: targets, scored tokens and uniform symbols.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "modalities/modality.h"

namespace relbias::modalities {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::unique_ptr<Task> make(const std::string& options = "") {
  const auto& entry = find_entry("task", "lag-copy", task_entries());
  return entry.make(parse_options("task", "lag-copy " + options, entry.options), nullptr);
}

void expect_lag(const Batch& batch, int64_t lag) {
  const auto tokens = batch.inputs.accessor<int64_t, 2>();
  const auto targets = batch.answers[0].targets.accessor<int64_t, 2>();
  const auto scored = batch.answers[0].scored.accessor<bool, 2>();
  for (int64_t b = 0; b < tokens.size(0); ++b) {
    for (int64_t t = 0; t < tokens.size(1); ++t) {
      ASSERT_EQ(scored[b][t], t >= lag);
      if (t < lag) continue;
      ASSERT_EQ(targets[b][t], tokens[b][t - lag]);
    }
  }
}

TEST(LagCopy, TargetIsTheTokenFiveBefore) {
  for (const int64_t size : {6, 12, 32, 256}) {
    const Batch batch = make()->training({.size = size, .batch = 16, .seed = 0, .step = 0});
    ASSERT_EQ(batch.inputs.sizes(), at::IntArrayRef({16, size}));
    expect_lag(batch, 5);
    EXPECT_EQ(batch.answers[0].scored.sum().item<int64_t>(), 16 * (size - 5));
  }
}

TEST(LagCopy, LagAndSymbolsAreOptions) {
  const auto task = make("lag=2 symbols=3");
  const Batch batch = task->training({.size = 40, .batch = 16, .seed = 0, .step = 0});
  expect_lag(batch, 2);
  EXPECT_EQ(batch.inputs.max().item<int64_t>(), 2);
  EXPECT_EQ(task->traits().vocabulary, 3);
  EXPECT_EQ(task->traits().questions[0].outputs, 3);
  EXPECT_DOUBLE_EQ(task->traits().chance, 1.0 / 3);
}

TEST(LagCopy, SymbolsAreUniformAndIndependent) {
  const Batch batch = make()->training({.size = 256, .batch = 256, .seed = 0, .step = 0});
  // Of 65536 draws: standard deviation 0.0013 for a symbol, 0.0005 for a pair of neighbours.
  const at::Tensor counts = at::bincount(batch.inputs.flatten(), {}, 8).to(at::kDouble) / 65536;
  EXPECT_LT((counts - 1.0 / 8).abs().max().item<double>(), 0.006);
  const at::Tensor pair = batch.inputs.slice(1, 0, 255) * 8 + batch.inputs.slice(1, 1, 256);
  const at::Tensor pairs = at::bincount(pair.flatten(), {}, 64).to(at::kDouble) / (256 * 255);
  EXPECT_LT((pairs - 1.0 / 64).abs().max().item<double>(), 0.0025);
  EXPECT_EQ(make()->traits().chance, 0.125);
  EXPECT_EQ(make()->traits().ceiling, 1.0);
}

TEST(LagCopy, SizesWithoutAScoredTokenAreErrors) {
  for (const int64_t size : {-1, 0, 5}) {
    EXPECT_THAT([&] { make()->check({size}, {}); },
                ThrowsMessage<InputError>(HasSubstr("more than lag=5 expected")));
  }
  make()->check({6}, {});
  EXPECT_THAT([] { make("lag=0"); }, ThrowsMessage<InputError>(HasSubstr("at least 1 expected")));
  EXPECT_THAT([] { make("symbols=1"); }, ThrowsMessage<InputError>(HasSubstr("2 to 65536")));
}

TEST(LagCopy, GuessesTheCommonestSoFar) {
  const auto& entry = find_entry("task", "lag-copy", task_entries());
  const auto task = entry.make(parse_options("task", "lag-copy", entry.options), nullptr);
  const Batch batch = task->training({.size = 32, .batch = 40, .seed = 1, .step = 2});
  const Answers& answers = batch.answers[0];
  for (int64_t b = 0; b < 40; ++b) {
    std::vector<int64_t> counts(8);
    for (int64_t t = 0; t < 32; ++t) {
      ++counts[static_cast<size_t>(batch.inputs[b][t].item<int64_t>())];
      const auto guess = static_cast<size_t>(answers.guesses[b][t].item<int64_t>());
      EXPECT_EQ(counts[guess], *std::max_element(counts.begin(), counts.end()));
    }
  }
  const at::Tensor hits = (answers.guesses == answers.targets).masked_select(answers.scored);
  EXPECT_GT(hits.to(at::kFloat).mean().item<double>(), 0.17);  // .125 by chance
}

}  // namespace
}  // namespace relbias::modalities
