// SPDX-License-Identifier: Apache-2.0
// tests: task `copy`: the second word is the first, forwards or backwards, and nothing else counts.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "modalities/modality.h"

namespace relbias::modalities {
namespace {

std::unique_ptr<Task> make(const std::string& options = "") {
  const auto& entry = find_entry("task", "copy", task_entries());
  return entry.make(parse_options("task", "copy " + options, entry.options), nullptr);
}

TEST(Copy, AnswersWithTheWord) {
  for (const bool backward : {false, true}) {
    const auto task = make(backward ? "order=backward" : "");
    const Batch batch = task->training({.size = 5, .batch = 32, .seed = 0, .step = 0});
    ASSERT_EQ(batch.inputs.sizes(), at::IntArrayRef({32, 10}));
    const at::Tensor word = batch.inputs.narrow(1, 0, 5);
    const at::Tensor answer = batch.answers[0].targets.narrow(1, 5, 5);
    EXPECT_TRUE(at::equal(answer, backward ? word.flip(1) : word));
    // What was answered is the next input; the mark asks for the first symbol.
    EXPECT_TRUE(at::equal(batch.inputs.narrow(1, 6, 4), answer.narrow(1, 0, 4)));
    EXPECT_TRUE((batch.inputs.select(1, 5) == 16).all().item<bool>());
    EXPECT_FALSE((word == 16).any().item<bool>());
  }
}

TEST(Copy, OnlyTheSecondWordCounts) {
  const Batch batch = make()->training({.size = 3, .batch = 2, .seed = 0, .step = 0});
  const at::Tensor expected =
      at::tensor({0, 0, 0, 1, 1, 1}, at::kLong).to(at::kBool).expand({2, 6});
  EXPECT_TRUE(at::equal(batch.answers[0].scored, expected));
}

TEST(Copy, ASizeHasTwiceItsTokens) {
  EXPECT_EQ(make()->tokens(20), 40);
  EXPECT_EQ(make("symbols=4")->traits().vocabulary, 5);
  EXPECT_EQ(make("symbols=4")->traits().chance, 0.25);
  EXPECT_THROW(make()->check({0}, {}), InputError);
  EXPECT_THROW(make("order=sideways"), InputError);
}

}  // namespace
}  // namespace relbias::modalities
