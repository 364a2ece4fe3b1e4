// SPDX-License-Identifier: Apache-2.0
// modalities/text: task `copy`, a word said again, forwards or backwards (Kazemnejad et al. 2023).
#include <ATen/ATen.h>

#include "modalities/sampling/sampled_task.h"

namespace relbias::modalities {
namespace {

/// A word x_1..x_L of uniform, independent symbols, a mark, and the word again, forwards or
/// backwards; only the second word is scored. A sample of size L has 2 L tokens: the last symbol of
/// the answer is never an input. L = 3, order = backward, the mark written as |:
///
///   sequence  3 7 0 | 0 7
///   target          0 7 3
///
/// Forwards the answer stands L + 1 tokens back, so that its offset grows with the word; backwards
/// every symbol has an offset of its own. An answer is right as a whole if and only if each of its
/// tokens is, given the right ones before it.
class Copy final : public SampledTask {
 public:
  explicit Copy(const Options& options)
      : symbols_(options.integer("symbols")), backward_(options.word("order") == "backward") {}

  TaskTraits traits() const override {
    return {.vocabulary = symbols_ + 1,
            .questions = {{.outputs = symbols_ + 1}},
            .causal = true,
            .metrics = {"accuracy", "cross-entropy"},
            .chance = 1.0 / static_cast<double>(symbols_),
            .ceiling = 1.0};
  }

  int64_t tokens(int64_t size) const override { return 2 * size; }

 protected:
  void check_size(int64_t size) const override {
    if (size < 1) input_error("copy: size {} found, at least 1 expected", size);
  }

  Batch draw(int64_t size, int64_t samples, at::Generator generator) const override {
    const Tensor word = at::randint(0, symbols_, {samples, size}, generator, at::kLong);
    const Tensor answer = backward_ ? word.flip(1) : word;
    const Tensor mark = at::full({samples, 1}, symbols_, at::kLong);
    Batch batch;
    batch.inputs = at::cat({word, mark, answer.narrow(1, 0, size - 1)}, 1);  // [B, 2 L]
    Answers answers{.targets = at::zeros_like(batch.inputs),
                    .scored = at::zeros_like(batch.inputs, at::kBool)};
    answers.targets.narrow(1, size, size).copy_(answer);
    answers.scored.narrow(1, size, size).fill_(true);
    answers.guesses = std::get<0>(word.mode(1, /*keepdim=*/true)).expand_as(batch.inputs);
    batch.answers = {answers};
    batch.structures = {{.queries = 2 * size, .keys = 2 * size}};
    return batch;
  }

 private:
  int64_t symbols_;
  bool backward_;
};

}  // namespace

TaskEntry task_copy() {
  return {
      .summary =
          "a word said again, forwards or backwards: an offset that grows with the word, to "
          "lengths "
          "that were not trained",
      .relation = "token",
      .trivial = "the commonest symbol of the word",
      .kind = TaskKind::gate,
      .ability = "an offset that grows with the word, or differs for each of its symbols",
      .options = {{.name = "symbols",
                   .value = int64_t{16},
                   .meaning = "distinct symbols",
                   .minimum = 2,
                   .maximum = 65535},
                  {.name = "order",
                   .value = std::string("forward"),
                   .meaning = "of the second word",
                   .choices = {"forward", "backward"}}},
      .make = [](const Options& options,
                 const Dataset*) { return std::make_unique<Copy>(options); },
  };
}

}  // namespace relbias::modalities
