// SPDX-License-Identifier: Apache-2.0
// modalities/image: what all tasks share that ask for the class of a picture.
#pragma once

#include "modalities/image/views.h"

namespace relbias::modalities {

/// A task that asks for the class of a picture. What it makes tokens of is up to the task.
class PictureTask : public Task {
 public:
  PictureTask(const ImageDataset& images, const Options& options)
      : name_(options.name()), views_(images, view_options_from(options)) {}

  TaskTraits traits() const final;
  int64_t tokens(int64_t size) const final {
    const int64_t cells = size / views_.options().patch;
    return cells * cells;
  }
  Batch training(const TrainingRequest& request) const final;
  void evaluation(const EvaluationRequest& request,
                  const std::function<void(const Batch&)>& use) const final;
  void check(const std::vector<int64_t>& train_sizes,
             const std::vector<EvaluationRequest>& evaluations) const final;

 protected:
  /// The task's own part of the traits: `vocabulary` or `features`.
  virtual TaskTraits token_traits() const = 0;
  /// Tokens of pictures in raster order.
  virtual Tensor tokens_of(const Tensor& pixels) const = 0;  // [B, C, S, S] float32 from 0 to 1

  const ImageDataset& images() const { return views_.images(); }
  int64_t patch() const { return views_.options().patch; }

 private:
  Batch batch_of(const Views::Shown& shown) const;

  std::string name_;
  Views views_;
};

}  // namespace relbias::modalities
