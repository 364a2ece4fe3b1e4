// SPDX-License-Identifier: Apache-2.0
// modalities/text: task `flip-flop`, a memory of one bit (Liu et al. 2023, "Exposing Attention
// Glitches with Flip-Flop Language Modeling").
#include <ATen/ATen.h>

#include <cmath>

#include "modalities/sampling/sampled_task.h"

namespace relbias::modalities {
namespace {

constexpr int64_t write = 2, read = 3, ignore = 4;  // tokens 0 and 1 are the bits

/// L/2 pairs (instruction, bit). The first instruction is w, the last r; the others are w, r or i
/// with probability (1 - ignore)/2, (1 - ignore)/2, ignore. The bit after an r is the bit of the
/// latest w, every other bit is uniform. Only the r positions are scored: their target is the bit
/// that follows, which the causal mask hides.
///
///   sequence  w 1 i 0 r 1 i 1 w 0 r 0
///   target            1           0
///
/// The answer stands after the latest w, however far that is: a test of recency. With ignore = 0.8
/// that is some ten pairs at every length. `gap` = g makes it far: no w stands in the last g L/2
/// pairs, and only the last read is scored, so that at 8 times the trained length its answer lies
/// past every trained offset. For `evaluate.variants`.
class FlipFlop final : public SampledTask {
 public:
  explicit FlipFlop(const Options& options)
      : ignore_(options.real("ignore")), gap_(options.real("gap")) {}

  TaskTraits traits() const override {
    return {.vocabulary = 5,
            .questions = {{.outputs = 2}},
            .causal = true,
            .metrics = {"accuracy", "cross-entropy"},
            .chance = 0.5,
            .ceiling = 1.0};
  }

 protected:
  void check_size(int64_t size) const override {
    if (size < 4 || size % 2 != 0) {
      input_error("flip-flop: size {} found, an even number of at least 4 expected", size);
    }
  }

  Batch draw(int64_t size, int64_t samples, at::Generator generator) const override {
    const int64_t pairs = size / 2;
    const Tensor chance = at::rand({samples, pairs}, generator, at::kDouble);
    Tensor instruction = at::full({samples, pairs}, ignore, at::kLong);
    instruction.masked_fill_(chance < 1 - ignore_, read);
    instruction.masked_fill_(chance < (1 - ignore_) / 2, write);
    if (gap_ > 0) {
      const int64_t quiet =
          std::min<int64_t>(pairs - 1, std::llround(gap_ * static_cast<double>(pairs)));
      Tensor last = instruction.narrow(1, pairs - quiet, quiet);
      last.masked_fill_(last == write, ignore);
    }
    instruction.select(1, 0).fill_(write);
    instruction.select(1, pairs - 1).fill_(read);

    const Tensor uniform = at::randint(0, 2, {samples, pairs}, generator, at::kLong);
    const Tensor place = at::arange(pairs, at::kLong).expand({samples, pairs});
    const Tensor latest = std::get<0>(at::cummax(place.masked_fill(instruction != write, 0), 1));
    const Tensor reads = instruction == read;
    const Tensor bit = at::where(reads, uniform.gather(1, latest), uniform);

    Batch batch;
    batch.inputs = at::stack({instruction, bit}, 2).flatten(1);
    Answers answers;
    answers.targets = at::stack({bit.masked_fill(~reads, 0), at::zeros_like(bit)}, 2).flatten(1);
    const Tensor asked = gap_ > 0 ? reads.logical_and(place == pairs - 1) : reads;
    answers.scored = at::stack({asked, at::zeros_like(reads)}, 2).flatten(1);
    answers.guesses = commonest_so_far(bit).unsqueeze(2).expand({-1, -1, 2}).flatten(1);
    batch.answers = {answers};
    batch.structures = {{.queries = size, .keys = size}};
    return batch;
  }

 private:
  // The bit that is commoner before each pair, the latest of equals: one who does not know which
  // bit was written last knows that it is among them. bit: [B, pairs]
  static Tensor commonest_so_far(const Tensor& bit) {
    const Tensor before = at::arange(bit.size(1), at::kLong);
    const Tensor latest = at::constant_pad_nd(bit, {1, -1});
    return (2 * (bit.cumsum(1) - bit) + latest > before).to(at::kLong);
  }

  double ignore_, gap_;
};

}  // namespace

TaskEntry task_flip_flop() {
  return {
      .version = 2,
      .summary =
          "the bit of the latest write instruction in a sequence of writes, reads and "
          "distractors: recency, the opposite of lag-copy",
      .relation = "token",
      .trivial = "the commonest bit so far, the latest of equals",
      .kind = TaskKind::gate,
      .ability = "recency: the latest write, however far back",
      .options = {{.name = "ignore",
                   .value = 0.8,
                   .meaning = "probability of a distractor; write and read share the rest",
                   .minimum = 0,
                   .maximum = 1},
                  {.name = "gap",
                   .value = 0.0,
                   .meaning = "share of the sequence, at its end, without a write; then the last "
                              "read alone is scored",
                   .minimum = 0,
                   .maximum = 1}},
      .make = [](const Options& options,
                 const Dataset*) { return std::make_unique<FlipFlop>(options); },
  };
}

}  // namespace relbias::modalities
