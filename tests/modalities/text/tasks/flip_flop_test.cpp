// SPDX-License-Identifier: Apache-2.0
// tests: task `flip-flop`, every sample read again token by token.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <array>
#include <map>

#include "modalities/modality.h"

namespace relbias::modalities {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::unique_ptr<Task> make(const std::string& options = "") {
  const auto& entry = find_entry("task", "flip-flop", task_entries());
  return entry.make(parse_options("task", "flip-flop " + options, entry.options), nullptr);
}

std::vector<int64_t> values(const at::Tensor& row) {
  const at::Tensor whole = row.to(at::kLong).contiguous();
  return {whole.data_ptr<int64_t>(), whole.data_ptr<int64_t>() + whole.numel()};
}

// Plays the sequence: a memory of one bit, written by 2, asked for by 3.
void replay(const std::vector<int64_t>& tokens, const std::vector<int64_t>& targets,
            const std::vector<int64_t>& scored) {
  ASSERT_EQ(tokens.size() % 2, 0u);
  ASSERT_EQ(tokens.front(), 2) << "the first instruction writes";
  ASSERT_EQ(tokens[tokens.size() - 2], 3) << "the last instruction reads";
  int64_t memory = -1;
  for (size_t t = 0; t < tokens.size(); t += 2) {
    const int64_t instruction = tokens[t], bit = tokens[t + 1];
    ASSERT_THAT(instruction, testing::AllOf(testing::Ge(2), testing::Le(4)));
    ASSERT_THAT(bit, testing::AnyOf(0, 1));
    if (instruction == 2) memory = bit;
    EXPECT_EQ(scored[t], instruction == 3 ? 1 : 0);
    EXPECT_EQ(scored[t + 1], 0) << "bits are never scored";
    if (instruction != 3) continue;
    EXPECT_EQ(bit, memory) << "the bit after a read is the bit of the latest write";
    EXPECT_EQ(targets[t], memory);
  }
}

TEST(FlipFlop, EverySampleIsARightMemory) {
  const auto task = make();
  for (const int64_t size : {4, 6, 12, 32, 256}) {
    const Batch batch = task->training({.size = size, .batch = 50, .seed = 0, .step = 1});
    ASSERT_EQ(batch.inputs.sizes(), at::IntArrayRef({50, size}));
    for (int64_t b = 0; b < 50; ++b) {
      replay(values(batch.inputs[b]), values(batch.answers[0].targets[b]),
             values(batch.answers[0].scored[b]));
    }
  }
}

// How often each token occurs among the instructions that are drawn (not the first, not the last).
std::map<int64_t, double> frequencies(const Batch& batch) {
  std::map<int64_t, double> share;
  const int64_t pairs = batch.inputs.size(1) / 2;
  const at::Tensor drawn = batch.inputs.view({-1, pairs, 2}).select(2, 0).slice(1, 1, pairs - 1);
  for (const int64_t token : values(drawn.flatten())) {
    share[token] += 1.0 / static_cast<double>(drawn.numel());
  }
  return share;
}

// Standard deviation of a share over 192 x 126 draws: at most 0.0026.
TEST(FlipFlop, InstructionsHaveTheirProbabilities) {
  const TrainingRequest request{.size = 256, .batch = 192, .seed = 0, .step = 0};
  auto share = frequencies(make()->training(request));
  EXPECT_NEAR(share[2], 0.1, 0.012);
  EXPECT_NEAR(share[3], 0.1, 0.012);
  EXPECT_NEAR(share[4], 0.8, 0.012);
  share = frequencies(make("ignore=0.5")->training(request));
  EXPECT_NEAR(share[2], 0.25, 0.015);
  EXPECT_NEAR(share[3], 0.25, 0.015);
  EXPECT_NEAR(share[4], 0.5, 0.015);
}

TEST(FlipFlop, ProbabilitiesMayBeZeroAndOne) {
  const TrainingRequest request{.size = 64, .batch = 20, .seed = 0, .step = 0};
  EXPECT_EQ(frequencies(make("ignore=1")->training(request)).count(2), 0u);
  EXPECT_EQ(frequencies(make("ignore=1")->training(request)).count(3), 0u);
  EXPECT_EQ(frequencies(make("ignore=0")->training(request)).count(4), 0u);
}

// Nothing but the latest write tells the answer: guessing gets half, and so does the bit before.
TEST(FlipFlop, ChanceIsHalf) {
  const auto task = make();
  const Batch batch = task->training({.size = 256, .batch = 384, .seed = 0, .step = 0});
  const at::Tensor answers =
      batch.answers[0].targets.masked_select(batch.answers[0].scored).to(at::kDouble);
  EXPECT_NEAR(answers.mean().item<double>(), 0.5, 0.03);
  const at::Tensor bits = batch.inputs.view({-1, 128, 2});
  const at::Tensor reads = bits.select(2, 0) == 3;
  const at::Tensor before =
      at::cat({at::zeros({384, 1}, at::kLong), bits.select(2, 1).slice(1, 0, 127)}, 1);
  const at::Tensor idle =
      at::cat({at::zeros({384, 1}, at::kBool), (bits.select(2, 0) == 4).slice(1, 0, 127)}, 1);
  const at::Tensor agree =
      (before == bits.select(2, 1)).masked_select(reads & idle).to(at::kDouble);
  EXPECT_NEAR(agree.mean().item<double>(), 0.5, 0.03);
  EXPECT_EQ(task->traits().chance, 0.5);
  EXPECT_EQ(task->traits().ceiling, 1.0);
}

// Of the bits 1 0 1 0: nothing before the first, then 1, of equals the latest, then 1.
TEST(FlipFlop, GuessesTheCommonestBitSoFar) {
  const Batch batch =
      make("ignore=0.5")->training({.size = 32, .batch = 200, .seed = 0, .step = 0});
  double right = 0, asked = 0;
  for (int64_t b = 0; b < 200; ++b) {
    const auto tokens = values(batch.inputs[b]), guesses = values(batch.answers[0].guesses[b]);
    const auto targets = values(batch.answers[0].targets[b]);
    std::array<int64_t, 2> counts{};
    int64_t guess = 0;
    for (size_t t = 0; t < tokens.size(); t += 2) {
      if (t > 0) EXPECT_EQ(guesses[t], guess) << b << " at " << t;
      if (tokens[t] == 3) {
        right += guesses[t] == targets[t] ? 1 : 0;
        ++asked;
      }
      const int64_t bit = tokens[t + 1];
      if (++counts[static_cast<size_t>(bit)] >= counts[static_cast<size_t>(guess)]) guess = bit;
    }
  }
  EXPECT_GT(right / asked, 0.6);  // above chance: what guesses must reach more
}

TEST(FlipFlop, SizesWithoutAWriteAndAReadAreErrors) {
  const auto task = make();
  for (const int64_t size : {-2, 0, 2, 3, 33}) {
    EXPECT_THAT([&] { task->check({size}, {}); },
                ThrowsMessage<InputError>(HasSubstr("an even number of at least 4 expected")));
    const EvaluationRequest request{.size = size, .samples = 1, .tokens = 0, .batch = 1};
    EXPECT_THROW(task->check({32}, {request}), InputError);
    EXPECT_THROW(task->training({.size = size, .batch = 1, .seed = 0, .step = 0}), InputError);
  }
  EXPECT_THAT([] { make("ignore=1.5"); }, ThrowsMessage<InputError>(HasSubstr("0 to 1 expected")));
}

// With a gap the answer to the last read, which alone is scored, stands far back.
TEST(FlipFlop, AGapReachesPastWhatIsTrained) {
  const auto& entry = find_entry("task", "flip-flop", task_entries());
  const auto task = entry.make(parse_options("task", "flip-flop gap=0.5", entry.options), nullptr);
  task->evaluation({.size = 64, .samples = 50, .tokens = 0, .batch = 50}, [&](const Batch& batch) {
    const Answers& answers = batch.answers[0];
    for (int64_t b = 0; b < 50; ++b) {
      EXPECT_EQ(answers.scored[b].sum().item<int64_t>(), 1);
      EXPECT_TRUE(answers.scored[b][62].item<bool>());
      int64_t write = 62;
      while (batch.inputs[b][write].item<int64_t>() != 2) write -= 2;
      EXPECT_LE(write, 30);
      EXPECT_EQ(answers.targets[b][62].item<int64_t>(), batch.inputs[b][write + 1].item<int64_t>());
    }
  });
}

}  // namespace
}  // namespace relbias::modalities
