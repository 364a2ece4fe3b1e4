// SPDX-License-Identifier: Apache-2.0
// modalities/text: task `lag-copy`, the symbol at a fixed distance before.
#include <ATen/ATen.h>

#include "modalities/sampling/sampled_task.h"

namespace relbias::modalities {
namespace {

/// x_1..x_L uniform and independent; target y_t = x_{t-lag}, the first `lag` tokens not scored.
/// lag = 2:
///
///   sequence  3 7 0 0 5 1
///   target        3 7 0 0
///
/// Nothing but the exact offset tells where the answer stands.
class LagCopy final : public SampledTask {
 public:
  explicit LagCopy(const Options& options)
      : symbols_(options.integer("symbols")), lag_(options.integer("lag")) {}

  TaskTraits traits() const override {
    return {.vocabulary = symbols_,
            .questions = {{.outputs = symbols_}},
            .causal = true,
            .metrics = {"accuracy", "cross-entropy"},
            .chance = 1.0 / static_cast<double>(symbols_),
            .ceiling = 1.0};
  }

 protected:
  void check_size(int64_t size) const override {
    if (size <= lag_) {
      input_error("lag-copy: size {} found, more than lag={} expected", size, lag_);
    }
  }

  Batch draw(int64_t size, int64_t samples, at::Generator generator) const override {
    Batch batch;
    batch.inputs = at::randint(0, symbols_, {samples, size}, generator, at::kLong);
    Answers answers{.targets = at::zeros_like(batch.inputs),
                    .scored = at::zeros_like(batch.inputs, at::kBool)};
    answers.targets.narrow(1, lag_, size - lag_).copy_(batch.inputs.narrow(1, 0, size - lag_));
    answers.scored.narrow(1, lag_, size - lag_).fill_(true);
    answers.guesses = commonest_so_far(batch.inputs);
    batch.answers = {answers};
    batch.structures = {{.queries = size, .keys = size}};
    return batch;
  }

 private:
  // The symbol that fills most of the window up to each token, the latest of equals: what is
  // likeliest to have been copied, for one who does not know from where.
  Tensor commonest_so_far(const Tensor& inputs) const {  // [B, N]
    Tensor guesses = at::zeros_like(inputs);
    const auto symbol = inputs.accessor<int64_t, 2>();
    auto guess = guesses.accessor<int64_t, 2>();
    for (int64_t b = 0; b < inputs.size(0); ++b) {
      std::vector<int64_t> counts(static_cast<size_t>(symbols_));
      int64_t commonest = symbol[b][0];
      for (int64_t t = 0; t < inputs.size(1); ++t) {
        const int64_t count = ++counts[static_cast<size_t>(symbol[b][t])];
        if (count >= counts[static_cast<size_t>(commonest)]) commonest = symbol[b][t];
        guess[b][t] = commonest;
      }
    }
    return guesses;
  }

  int64_t symbols_;
  int64_t lag_;
};

}  // namespace

TaskEntry task_lag_copy() {
  return {
      .summary =
          "the symbol that stood a fixed number of tokens before: exact offset, the "
          "opposite of flip-flop",
      .relation = "token",
      .trivial = "the commonest symbol of the window so far, the likeliest to have been copied",
      .kind = TaskKind::gate,
      .ability = "exact offset: the token a fixed distance back",
      .options = {{.name = "symbols",
                   .value = int64_t{8},
                   .meaning = "distinct symbols",
                   .minimum = 2,
                   .maximum = 65536},
                  {.name = "lag",
                   .value = int64_t{5},
                   .meaning = "tokens from the answer to the token that asks for it",
                   .minimum = 1}},
      .make = [](const Options& options,
                 const Dataset*) { return std::make_unique<LagCopy>(options); },
  };
}

}  // namespace relbias::modalities
