// SPDX-License-Identifier: Apache-2.0
// modalities/audio: task `which-first`, the category of the first of several clips.
#include <ATen/ATen.h>

#include "modalities/audio/joined.h"

namespace relbias::modalities {
namespace {

/// Target: the category of the clip that comes first. en + fr -> en, fr + en -> fr: the same
/// frames, so whoever ignores order is right in half of the cases, in 1 of D with D categories.
class WhichFirst final : public JoinedTask {
 public:
  using JoinedTask::JoinedTask;
  WhichFirst(const Options& options, const AudioDataset& audio) : JoinedTask(options, audio) {}

  TaskTraits traits() const override {
    return {.features = features(),
            .questions = {{.about = Question::About::sample, .outputs = categories()}},
            .metrics = {"accuracy", "cross-entropy"},
            .chance = 1.0 / static_cast<double>(distinct()),
            .ceiling = 1.0,
            .binned = true};
  }

 protected:
  ClipSample sample(const Pool& pool, int64_t, int64_t, at::Generator& generator) const override {
    const Joined all = joined(pool, generator);
    return {.tokens = all.tokens,
            .targets = at::full({1}, all.categories.front(), at::kLong),
            .source = all.source};
  }
};

}  // namespace

TaskEntry task_which_first() {
  return {
      .version = 2,
      .summary =
          "clips of different categories joined, say which came first: at chance for whoever "
          "ignores order; sizes are frames of a clip",
      .relation = "time",
      .needs_dataset = true,
      .options = joined_specs(),
      .make = [](const Options& options, const Dataset* dataset) -> std::unique_ptr<Task> {
        return std::make_unique<WhichFirst>(options, audio_of(dataset, "which-first"));
      },
  };
}

}  // namespace relbias::modalities
