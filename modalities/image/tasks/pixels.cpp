// SPDX-License-Identifier: Apache-2.0
// modalities/image: task `pixels`, which class a picture belongs to, from its grey pixels one by
// one (Tay et al. 2021, Long Range Arena, "image").
#include <ATen/ATen.h>

#include "modalities/image/picture_task.h"

namespace relbias::modalities {
namespace {

constexpr int64_t greys = 256;

/// Every pixel is a token, its grey from 0 to 255 the id: 32 pixels a side are 1024 tokens. Nothing
/// but the relation tells that there are two dimensions.
class Pixels final : public PictureTask {
 public:
  using PictureTask::PictureTask;

 protected:
  TaskTraits token_traits() const override { return {.vocabulary = greys}; }

  Tensor tokens_of(const Tensor& pixels) const override {
    Tensor grey = pixels.select(1, 0);
    if (pixels.size(1) == 3) {
      grey = 0.299 * grey + 0.587 * pixels.select(1, 1) + 0.114 * pixels.select(1, 2);
    }
    return (grey * (greys - 1)).round().clamp(0, greys - 1).to(at::kLong).flatten(1);
  }
};

}  // namespace

TaskEntry task_pixels() {
  return {
      .version = 2,
      .summary =
          "the class of a picture, its grey pixels read one by one: what a relation knows of "
          "two dimensions",
      .relation = "grid",
      .trivial = "the commonest class of the training pictures",
      .needs_dataset = true,
      .options = view_options(/*patch=*/0, /*shift=*/0),
      .make =
          [](const Options& options, const Dataset* dataset) {
            return std::make_unique<Pixels>(images_of(dataset, options.name()), options);
          },
  };
}

}  // namespace relbias::modalities
