// SPDX-License-Identifier: Apache-2.0
// modalities/audio: task `clip-classification`, the category of a clip.
#include <ATen/ATen.h>

#include "modalities/audio/clip_task.h"

namespace relbias::modalities {
namespace {

/// Target: the category of the clip. Each held-out clip is evaluated once.
class ClipClassification final : public ClipTask {
 public:
  ClipClassification(const Options& options, const AudioDataset& audio) : ClipTask(options, audio) {
    check_categories();
  }

  TaskTraits traits() const override {
    return {.features = features(),
            .questions = {{.about = Question::About::sample, .outputs = categories()}},
            .metrics = {"accuracy", "cross-entropy", "balanced accuracy"},
            .chance = 1.0 / static_cast<double>(categories()),
            .ceiling = 1.0,
            .binned = true};
  }

 protected:
  ClipSample sample(const Pool& pool, int64_t number, int64_t, at::Generator&) const override {
    const Clip& clip = *pool.clips[static_cast<size_t>(number)];
    return {tokens_of(audio().frames(clip)), at::full({1}, clip.category, at::kLong),
            at::full({1}, guess_, at::kLong), clip.name};
  }
  int64_t samples_of(const Pool& pool, int64_t asked) const override {
    return std::min(asked, static_cast<int64_t>(pool.clips.size()));
  }

 private:
  const int64_t guess_ = commonest();
};

}  // namespace

TaskEntry task_clip_classification() {
  return {
      .version = 2,
      .summary = "the category of a clip; sizes are frames",
      .relation = "time",
      .trivial = "the commonest category of the training clips",
      .needs_dataset = true,
      .options = clip_task_specs({}),
      .make = [](const Options& options, const Dataset* dataset) -> std::unique_ptr<Task> {
        return std::make_unique<ClipClassification>(options,
                                                    audio_of(dataset, "clip-classification"));
      },
  };
}

}  // namespace relbias::modalities
