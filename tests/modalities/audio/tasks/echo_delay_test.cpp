// SPDX-License-Identifier: Apache-2.0
// tests: task `echo-delay`: where the two bursts stand, and that nothing else tells the delay.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "modalities/modality.h"
#include "tests/error_of.h"

namespace relbias::modalities {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Task> make(const std::string& options = "") {
  const auto& entry = find_entry("task", "echo-delay", task_entries());
  return entry.make(parse_options("task", "echo-delay " + options, entry.options), nullptr);
}

Batch draw(const Task& task, int64_t size, int64_t batch = 64) {
  return task.training({.size = size, .batch = batch, .seed = 0, .step = 0});
}

TEST(EchoDelay, TheSameBurstTwiceAtTheDelayAsked) {
  const auto task = make("noise=0");
  const Batch batch = draw(*task, 64);
  EXPECT_EQ(batch.inputs.sizes(), at::IntArrayRef({64, 64, 16}));
  const Tensor loud = batch.inputs.abs().sum(2) > 0;
  Tensor burst;
  for (int64_t b = 0; b < 64; ++b) {
    const Tensor places = loud[b].nonzero().flatten();
    ASSERT_EQ(places.numel(), 2);
    const int64_t delay = (places[1] - places[0]).item<int64_t>();
    EXPECT_EQ(batch.answers.at(0).targets[b].item<int64_t>(), delay - 1);
    EXPECT_GE(delay, 1);
    EXPECT_LE(delay, 16);
    if (!burst.defined()) burst = batch.inputs[0][places[0].item<int64_t>()];
    for (int64_t n = 0; n < 2; ++n) {
      EXPECT_TRUE(at::equal(batch.inputs[b][places[n].item<int64_t>()], burst));
    }
  }
  // The burst is the task's: training and evaluation hear the same one, whatever the seed.
  const Batch other = task->training({.size = 32, .batch = 1, .seed = 5, .step = 9});
  const int64_t place = (other.inputs[0].abs().sum(1) > 0).to(at::kInt).argmax().item<int64_t>();
  EXPECT_TRUE(at::equal(other.inputs[0][place], burst));
}

TEST(EchoDelay, DelaysAndPlacesAreUniform) {
  const Batch batch = draw(*make("noise=0"), 32, 16000);
  const Tensor counts = at::bincount(batch.answers.at(0).targets.flatten(), {}, 16);
  EXPECT_LT((counts - 1000).abs().max().item<int64_t>(), 150);
  // Delay 16: 16 places, the last at 15.
  const Tensor last = (batch.answers[0].targets.flatten() == 15).nonzero().flatten();
  const Tensor first = (batch.inputs.index_select(0, last).abs().sum(2) > 0).to(at::kInt).argmax(1);
  const Tensor places = at::bincount(first, {}, 16);
  EXPECT_EQ(places.size(0), 16);
  EXPECT_GT(places.min().item<int64_t>(), 20);
}

TEST(EchoDelay, SizesAndOptionsThatAreNone) {
  EXPECT_THAT(error_of([] { make()->check({16}, {}); }), HasSubstr("more than delays=16 expected"));
  EXPECT_EQ(error_of([] { make()->check({17}, {}); }), "no error");
  EXPECT_EQ(make("delays=4 bins=3")->traits().questions.at(0).outputs, 4);
  EXPECT_EQ(make("bins=3")->traits().features, 3);
  EXPECT_DOUBLE_EQ(make()->traits().chance, 1.0 / 16);
}

}  // namespace
}  // namespace relbias::modalities
