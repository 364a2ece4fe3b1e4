// SPDX-License-Identifier: Apache-2.0
// modalities/audio: what all tasks on clips share: drawing, cutting into tokens, padding.
#pragma once

#include "modalities/audio/audio.h"
#include "modalities/audio/patches.h"

namespace relbias::modalities {

/// The clips from which samples of one size are made.
struct Pool {
  std::vector<const Clip*> clips;
  std::vector<std::vector<const Clip*>> by_category;
  std::string where;  // for errors
};

struct ClipSample {
  Tensor tokens;         // [n, F]
  Tensor targets;        // [1] or [n] int64
  Tensor guesses{};      // as targets; undefined: the task has no rule
  std::string source{};  // the clips that it is made of
};

/// Training samples come from a stream a step, evaluation samples from streams that depend on
/// nothing but size and number; a batch is padded on the right to its longest sample.
class ClipTask : public Task {
 public:
  Batch training(const TrainingRequest& request) const final;
  void evaluation(const EvaluationRequest& request,
                  const std::function<void(const Batch&)>& use) const final;
  void check(const std::vector<int64_t>& train_sizes,
             const std::vector<EvaluationRequest>& evaluations) const final;
  /// As long as a clip can be: that is what padding and longer samples of other steps reach.
  Structure trained(int64_t size, uint64_t seed) const final;
  int64_t tokens(int64_t size) const override {
    return patches_.times(size) * patches_.rows(audio_.mels());
  }

 protected:
  ClipTask(const Options& options, const AudioDataset& audio);

  /// One sample of a pool that check_pool() let pass. `number` counts evaluation samples, and is
  /// drawn in training: tasks of one clip take clip number `number`.
  virtual ClipSample sample(const Pool& pool, int64_t number, int64_t size,
                            at::Generator& generator) const = 0;
  /// Whether a clip can be part of a sample; by default if it has above < frames <= size.
  virtual bool fits(const Clip& clip, int64_t size, int64_t above) const;
  /// Evaluation samples that a pool gives, of those asked for.
  virtual int64_t samples_of(const Pool&, int64_t asked) const { return asked; }
  /// The fewest frames of a sample.
  virtual int64_t shortest() const { return patches_.shortest(); }
  /// Throws InputError unless samples can be made of these clips.
  virtual void check_pool(const Pool& pool) const;

  /// For tasks that ask for categories: throws InputError unless all are trained.
  void check_categories() const;
  /// The category with the most training clips.
  int64_t commonest() const;

  const AudioDataset& audio() const { return audio_; }
  /// The tokens of a clip, [n, F], played backwards if asked.
  Tensor tokens_of(const Tensor& frames, bool backwards = false) const;  // [T, mels]
  int64_t categories() const { return static_cast<int64_t>(audio_.categories().size()); }
  int64_t features() const { return patches_.features(audio_.mels()); }

 private:
  Pool pool_of(Split split, int64_t size, int64_t above) const;
  Pool held_out(const EvaluationRequest& request) const;
  Batch batch_of(const std::vector<ClipSample>& samples) const;

  const AudioDataset& audio_;
  std::string name_;
  Patches patches_;
};

/// Options that all tasks on clips have: how frames become tokens.
std::vector<OptionSpec> clip_task_specs(const Patches& defaults);

}  // namespace relbias::modalities
