// SPDX-License-Identifier: Apache-2.0
// modalities/audio: task `echo-delay`, how long after a burst its echo comes.
#include <ATen/ATen.h>

#include "modalities/sampling/sampled_task.h"

namespace relbias::modalities {
namespace {

/// N frames of F bins of noise; one fixed burst (3 N(0, I), the same in every sample) is added to
/// frame t0 and to frame t0 + d. d is uniform in 1..delays, t0 in 0..N-1-d. Target: d.
///
/// delays = 3, N = 6, t0 = 1, d = 2:   . B . B . .   -> class 1 (delay 2)
///
/// Nothing but the distance between the two tells: where they stand says nothing.
class EchoDelay final : public SampledTask {
 public:
  explicit EchoDelay(const Options& options)
      : bins_(options.integer("bins")),
        delays_(options.integer("delays")),
        noise_(options.real("noise")) {
    at::Generator generator = stream(0, "echo-delay burst");
    burst_ = at::empty({bins_}, at::kFloat).normal_(0, 3, generator);
  }

  TaskTraits traits() const override {
    return {.features = bins_,
            .questions = {{.about = Question::About::sample, .outputs = delays_}},
            .metrics = {"accuracy", "cross-entropy"},
            .chance = 1.0 / static_cast<double>(delays_),
            .ceiling = 1.0};
  }

 protected:
  void check_size(int64_t size) const override {
    if (size <= delays_) {
      input_error("echo-delay: size {} found, more than delays={} expected", size, delays_);
    }
  }

  Batch draw(int64_t size, int64_t samples, at::Generator generator) const override {
    const Tensor delay = at::randint(1, delays_ + 1, {samples}, generator, at::kLong);
    // Uniform in 0..size-1-d: a uniform number in [0, 1) times the places there are.
    const Tensor place = at::rand({samples}, generator, at::kDouble);
    const Tensor first = (place * (size - delay)).floor().to(at::kLong);
    Batch batch;
    batch.inputs = at::empty({samples, size, bins_}, at::kFloat).normal_(0, noise_, generator);
    const Tensor sample = at::arange(samples, at::kLong);
    batch.inputs.index_put_({sample, first}, burst_, /*accumulate=*/true);
    batch.inputs.index_put_({sample, first + delay}, burst_, /*accumulate=*/true);
    batch.answers = {
        {.targets = (delay - 1).unsqueeze(1), .scored = at::ones({samples, 1}, at::kBool)}};
    batch.structures = {{.queries = size, .keys = size}};
    return batch;
  }

 private:
  int64_t bins_, delays_;
  double noise_;
  Tensor burst_;  // [F]
};

}  // namespace

TaskEntry task_echo_delay() {
  return {
      .summary =
          "frames between a burst and its echo in noise: exact distance, wherever the two stand; "
          "wants model.readout = max",
      .relation = "time",
      .kind = TaskKind::gate,
      .ability = "exact distance in time, wherever the two stand",
      .options = {{"bins", int64_t{16}, "numbers of a frame", {}, 1, 4096},
                  {"delays", int64_t{16}, "the longest delay, in frames", {}, 2, 4096},
                  {"noise", 0.3, "standard deviation of the noise; the burst's is 3", {}, 0, 100}},
      .make = [](const Options& options,
                 const Dataset*) { return std::make_unique<EchoDelay>(options); },
  };
}

}  // namespace relbias::modalities
