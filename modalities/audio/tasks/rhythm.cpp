// SPDX-License-Identifier: Apache-2.0
// modalities/audio: task `rhythm`, the period of a beat in noise.
#include <ATen/ATen.h>

#include "modalities/sampling/sampled_task.h"

namespace relbias::modalities {
namespace {

constexpr int64_t shortest = 4, periods = 9;  // 4..12 frames
constexpr double deleted = 0.2;               // of the beats
constexpr double density = (1 - deleted) / shortest;

/// N frames of F bins of noise N(0, 1); an onset adds one fixed vector (3 N(0, I)). Beats come
/// every p frames from a random phase, p uniform in 4..12; each is missing with probability 0.2.
/// Target: p.
///
/// p = 4, phase 1, third beat missing:   . O . . . O . . . . . . . O
///
/// With p the number of onsets falls, which gives p away to whoever counts them, the better the
/// longer the sample. `balanced=true` closes this leak: every sample has exactly round(0.2 N)
/// onsets, as many as p = 4 has on average; those that lack stand off the beat, at random, and
/// those too many are taken from the beats.
class Rhythm final : public SampledTask {
 public:
  explicit Rhythm(const Options& options)
      : bins_(options.integer("bins")), balanced_(options.flag("balanced")) {
    at::Generator generator = stream(0, "rhythm onset");
    onset_ = at::empty({bins_}, at::kFloat).normal_(0, 3, generator);
  }

  TaskTraits traits() const override {
    return {.features = bins_,
            .questions = {{.about = Question::About::sample, .outputs = periods}},
            .metrics = {"accuracy", "cross-entropy"},
            .chance = 1.0 / periods,
            .ceiling = 1.0};
  }

 protected:
  void check_size(int64_t size) const override {
    constexpr int64_t least = 2 * (shortest + periods - 1);
    if (size < least) input_error("rhythm: size {} found, at least {} expected", size, least);
  }

  Batch draw(int64_t size, int64_t samples, at::Generator generator) const override {
    const Tensor period =
        at::randint(shortest, shortest + periods, {samples, 1}, generator, at::kLong);
    const Tensor phase =
        (at::rand({samples, 1}, generator, at::kDouble) * period).floor().to(at::kLong);
    const Tensor frame = at::arange(size, at::kLong).unsqueeze(0);
    const Tensor on_beat = (frame - phase).remainder(period) == 0;  // [B, N]
    const Tensor chance = at::rand({samples, size}, generator, at::kDouble);
    const Tensor heard = on_beat & (chance >= deleted);
    Batch batch;
    batch.inputs = at::empty({samples, size, bins_}, at::kFloat).normal_(0, 1, generator);
    const Tensor onsets = balanced_ ? balanced(on_beat, heard, chance) : heard;  // [B, N]
    batch.inputs += onsets.unsqueeze(2) * onset_;
    batch.answers = {{.targets = period - shortest,
                      .scored = at::ones({samples, 1}, at::kBool),
                      .guesses = counted(onsets) - shortest}};
    batch.structures = {{.queries = size, .keys = size}};
    return batch;
  }

 private:
  // The period that as many onsets have on average, [B, 1]: what counting tells of it.
  static Tensor counted(const Tensor& onsets) {
    const double heard = (1 - deleted) * static_cast<double>(onsets.size(1));
    const Tensor count = onsets.sum(1, /*keepdim=*/true).clamp_min(1).to(at::kDouble);
    return (heard / count).round().clamp(shortest, shortest + periods - 1).to(at::kLong);
  }

  // The round(density N) frames that come first: beats heard, then frames off the beat, then beats
  // deleted; within each by chance.
  static Tensor balanced(const Tensor& on_beat, const Tensor& heard, const Tensor& chance) {
    const int64_t size = chance.size(1);
    const auto onsets = static_cast<int64_t>(std::llround(density * static_cast<double>(size)));
    const Tensor rank = chance + at::where(heard, 0.0, 1.0) + at::where(on_beat & ~heard, 1.0, 0.0);
    const Tensor first = rank.argsort(1, /*descending=*/false).narrow(1, 0, onsets);
    return at::zeros_like(heard).scatter_(1, first, true);
  }

  int64_t bins_;
  bool balanced_;
  Tensor onset_;  // [F]
};

}  // namespace

TaskEntry task_rhythm() {
  return {
      .version = 2,
      .summary =
          "the period of a beat in noise, a fifth of its onsets missing: periodic functions of the "
          "distance against monotone ones",
      .relation = "time",
      .trivial = "the period that has as many onsets on average; of balanced samples always 4",
      .kind = TaskKind::gate,
      .ability = "periodic functions of the distance in time",
      .options = {{"bins", int64_t{16}, "numbers of a frame", {}, 1, 4096},
                  {"balanced", false,
                   "as many onsets whatever the period, so that counting them says nothing"}},
      .make = [](const Options& options,
                 const Dataset*) { return std::make_unique<Rhythm>(options); },
  };
}

}  // namespace relbias::modalities
