// SPDX-License-Identifier: Apache-2.0
// modalities/image: pictures as a task shows them: of a size, shifted, flipped, cut into patches.
#pragma once

#include <functional>

#include "modalities/image/image.h"

namespace relbias::modalities {

/// What a task's options say about its pictures.
struct ViewOptions {
  std::string view = "enlarge";  // enlarge: scaled to the size | canvas: as they are, somewhere
  int64_t patch = 1;             // divides the size
  int64_t shift = 0;             // augmentation, in pixels, either way on both axes
  bool flip = false;             // left and right, every second picture
  double crop = 1;               // shortest side of a random square that is cut out, as a share
};

/// The options of a task that shows pictures, and how they are read.
std::vector<OptionSpec> view_options(int64_t patch, int64_t shift);
ViewOptions view_options_from(const Options& options);

/// Pictures of a dataset in the sizes that a task asks for. Training goes through all training
/// pictures in a new random order every time round; evaluation takes them in an order that is
/// always the same, at most as many as asked for, so that any number is a fair sample.
class Views {
 public:
  Views(const ImageDataset& images, ViewOptions options)
      : images_(images), options_(std::move(options)) {}

  struct Shown {
    Tensor pixels;  // [B, C, size, size] float32 from 0 to 1
    Tensor labels;  // [B]
  };
  Shown training(const TrainingRequest& request) const;
  void evaluation(const EvaluationRequest& request,
                  const std::function<void(const Shown&)>& use) const;

  /// Throws InputError where no picture of this size can be shown: not a multiple of the patch
  /// (nothing is padded or cut), or a canvas smaller than the pictures.
  void check(int64_t size, const std::string& task) const;
  void check(const EvaluationRequest& request, const std::string& task) const;

  const ImageDataset& images() const { return images_; }
  const ViewOptions& options() const { return options_; }

 private:
  Tensor seen(const Tensor& pixels, int64_t size, at::Generator& generator) const;
  Tensor augmented(const Tensor& pixels, at::Generator& generator) const;

  const ImageDataset& images_;
  ViewOptions options_;
};

/// Pictures brought to a size: bilinear, averaging where they shrink. Larger ones hold no new
/// detail.
Tensor scaled(const Tensor& pixels,  // [B, C, S, S]
              int64_t size);

/// Pictures put somewhere on a black canvas, each at a place of its own.
Tensor placed(const Tensor& pixels, int64_t size, at::Generator& generator);

/// Patches in raster order, the numbers of each in the order channel, row, column.
///
/// One channel, 2x4 pixels 0 1 2 3 / 4 5 6 7, patch 2:   0 1 4 5 / 2 3 6 7
Tensor patches(const Tensor& pixels,  // [B, C, H, W]
               int64_t patch);        // -> [B, (H/p)(W/p), C p p]

}  // namespace relbias::modalities
