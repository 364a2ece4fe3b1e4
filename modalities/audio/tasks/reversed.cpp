// SPDX-License-Identifier: Apache-2.0
// modalities/audio: task `reversed`, whether a clip is played backwards.
#include <ATen/ATen.h>

#include "modalities/audio/clip_task.h"

namespace relbias::modalities {
namespace {

/// A stretch of exactly `size` frames, from anywhere in a clip, half of them played backwards.
/// Target: 1 if so. Tokens are single frames: several in one would show the direction inside a
/// token. A model that only knows how far apart frames are, not which is later, stays at chance.
class Reversed final : public ClipTask {
 public:
  Reversed(const Options& options, const AudioDataset& audio) : ClipTask(options, audio) {}

  TaskTraits traits() const override {
    return {.features = features(),
            .questions = {{.about = Question::About::sample, .outputs = 2}},
            .metrics = {"accuracy", "cross-entropy"},
            .chance = 0.5,
            .ceiling = 1.0};
  }

 protected:
  // One token has no direction.
  int64_t shortest() const override { return ClipTask::shortest() + 1; }

  bool fits(const Clip& clip, int64_t size, int64_t) const override { return clip.frames >= size; }

  ClipSample sample(const Pool& pool, int64_t number, int64_t size,
                    at::Generator& generator) const override {
    const auto& clip = *pool.clips[static_cast<size_t>(number) % pool.clips.size()];
    const int64_t start =
        at::randint(clip.frames - size + 1, {1}, generator, at::kLong).item<int64_t>();
    const Tensor backwards = at::randint(2, {1}, generator, at::kLong);
    const Tensor frames = audio().frames(clip).narrow(0, start, size);
    return {.tokens = tokens_of(frames, backwards.item<int64_t>() == 1),
            .targets = backwards,
            .source = clip.name};
  }
};

}  // namespace

TaskEntry task_reversed() {
  return {
      .version = 2,
      .summary = "whether a stretch of a clip is played backwards; sizes are frames of the stretch",
      .relation = "time",
      .needs_dataset = true,
      .options = clip_task_specs({.frames = 1}),
      .make = [](const Options& options, const Dataset* dataset) -> std::unique_ptr<Task> {
        return std::make_unique<Reversed>(options, audio_of(dataset, "reversed"));
      },
  };
}

}  // namespace relbias::modalities
