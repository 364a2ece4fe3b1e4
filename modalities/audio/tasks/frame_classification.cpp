// SPDX-License-Identifier: Apache-2.0
// modalities/audio: task `frame-classification`, the category of every token of several clips.
#include <ATen/ATen.h>

#include "modalities/audio/joined.h"

namespace relbias::modalities {
namespace {

/// Clips of 2 and 3 tokens, categories 4 and 0: targets 4 4 0 0 0. A token alone is hard to tell,
/// its neighbours help: a question about every frame, whose answer is local.
class FrameClassification final : public JoinedTask {
 public:
  FrameClassification(const Options& options, const AudioDataset& audio)
      : JoinedTask(options, audio) {}

  TaskTraits traits() const override {
    return {.features = features(),
            .questions = {{.about = Question::About::token, .outputs = categories()}},
            .metrics = {"accuracy", "cross-entropy"},
            .chance = 1.0 / static_cast<double>(categories()),
            .ceiling = 1.0,
            .binned = true};
  }

 protected:
  ClipSample sample(const Pool& pool, int64_t, int64_t, at::Generator& generator) const override {
    const Joined all = joined(pool, generator);
    return {.tokens = all.tokens,
            .targets = at::repeat_interleave(at::tensor(all.categories, at::kLong),
                                             at::tensor(all.clip_tokens, at::kLong)),
            .source = all.source};
  }
};

}  // namespace

TaskEntry task_frame_classification() {
  return {
      .version = 2,
      .summary =
          "clips of different categories joined, say for every token to which its clip belongs; "
          "sizes are frames of a clip",
      .relation = "time",
      .needs_dataset = true,
      .options = joined_specs(),
      .make = [](const Options& options, const Dataset* dataset) -> std::unique_ptr<Task> {
        return std::make_unique<FrameClassification>(options,
                                                     audio_of(dataset, "frame-classification"));
      },
  };
}

}  // namespace relbias::modalities
