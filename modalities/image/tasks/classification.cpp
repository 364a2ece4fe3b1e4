// SPDX-License-Identifier: Apache-2.0
// modalities/image: task `classification`, which class a picture belongs to, from its patches.
#include <ATen/ATen.h>

#include "modalities/image/picture_task.h"

namespace relbias::modalities {
namespace {

/// A picture of S pixels a side is (S / patch)^2 tokens in raster order, each the pixels of a
/// patch, normalised by mean and deviation of the training pictures. 20 pixels, patch 4: 25 tokens
/// of 16 numbers (grey).
class Classification final : public PictureTask {
 public:
  using PictureTask::PictureTask;

 protected:
  TaskTraits token_traits() const override {
    return {.features = images().channels() * patch() * patch()};
  }

  Tensor tokens_of(const Tensor& pixels) const override {
    return patches(
        (pixels - images().mean().view({-1, 1, 1})) / images().deviation().view({-1, 1, 1}),
        patch());
  }
};

}  // namespace

TaskEntry task_classification() {
  return {
      .version = 2,
      .summary =
          "the class of a picture, from its patches; whether a model works at resolutions it "
          "was not trained on; patches of one number of pixels show less of an enlarged picture "
          "each, which favours encodings that interpolate",
      .relation = "grid",
      .trivial = "the commonest class of the training pictures",
      .needs_dataset = true,
      .options = view_options(/*patch=*/4, /*shift=*/2),
      .make =
          [](const Options& options, const Dataset* dataset) {
            return std::make_unique<Classification>(images_of(dataset, options.name()), options);
          },
  };
}

}  // namespace relbias::modalities
