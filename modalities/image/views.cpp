// SPDX-License-Identifier: Apache-2.0
// modalities/image: pictures as a task shows them: of a size, shifted, flipped, cut into patches.
#include "modalities/image/views.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace relbias::modalities {
namespace {

Tensor permutation(int64_t count, const at::Generator& generator) {
  return at::randperm(count, generator, at::TensorOptions(at::kLong));
}

// Pictures of a step: the run's order of all pictures, shuffled anew every time round, cut into
// batches. A batch may reach into the next round, or over several where it is larger than one.
Tensor random_indices(int64_t count, const TrainingRequest& request) {
  const auto batch = static_cast<uint64_t>(request.batch), all = static_cast<uint64_t>(count);
  const uint64_t begin = request.step * batch, end = begin + batch;
  std::vector<Tensor> parts;
  for (uint64_t round = begin / all; round * all < end; ++round) {
    const Tensor order = permutation(count, stream(request.seed, "picture order", round));
    const uint64_t first = std::max(begin, round * all), last = std::min(end, (round + 1) * all);
    parts.push_back(order.slice(0, static_cast<int64_t>(first - round * all),
                                static_cast<int64_t>(last - round * all)));
  }
  return at::cat(parts);
}

}  // namespace

std::vector<OptionSpec> view_options(int64_t patch, int64_t shift) {
  std::vector<OptionSpec> specs = {
      {"view",
       "enlarge",
       "enlarge: scaled to the size; canvas: unscaled, anywhere on a black canvas of that size",
       {"enlarge", "canvas"}},
      {"shift", shift, "augmentation: moved by up to so many pixels on both axes", {}, 0, 64},
      {"flip", false, "augmentation: left and right exchanged in every second picture"},
      {"crop", 1.0, "augmentation: a random square of at least this share of a side", {}, 0.05, 1}};
  if (patch > 0) {
    specs.insert(
        specs.begin(),
        {"patch", patch, "pixels of a patch's side; a size must be a multiple", {}, 1, 512});
  }
  return specs;
}

ViewOptions view_options_from(const Options& options) {
  return {.view = options.word("view"),
          .patch = options.has("patch") ? options.integer("patch") : 1,
          .shift = options.integer("shift"),
          .flip = options.flag("flip"),
          .crop = options.real("crop")};
}

Tensor scaled(const Tensor& pixels, int64_t size) {
  const int64_t side = pixels.size(2);
  if (side == size) return pixels;
  if (side < size) return at::upsample_bilinear2d(pixels, {size, size}, /*align_corners=*/false);
  return at::_upsample_bilinear2d_aa(pixels, {size, size}, /*align_corners=*/false);
}

Tensor placed(const Tensor& pixels, int64_t size, at::Generator& generator) {
  const int64_t count = pixels.size(0), side = pixels.size(2);
  const Tensor corner =
      at::randint(0, size - side + 1, {count, 2}, generator, at::TensorOptions(at::kLong));
  Tensor canvas = at::zeros({count, pixels.size(1), size, size});
  for (int64_t b = 0; b < count; ++b) {
    canvas[b]
        .narrow(1, corner[b][0].item<int64_t>(), side)
        .narrow(2, corner[b][1].item<int64_t>(), side)
        .copy_(pixels[b]);
  }
  return canvas;
}

Tensor patches(const Tensor& pixels, int64_t patch) {
  return pixels.unflatten(3, {-1, patch})
      .unflatten(2, {-1, patch})    // [B, C, rows, p, columns, p]
      .permute({0, 2, 4, 1, 3, 5})  // [B, rows, columns, C, p, p]
      .flatten(3)
      .flatten(1, 2);
}

Tensor Views::augmented(const Tensor& pixels, at::Generator& generator) const {
  if (options_.shift == 0 && !options_.flip && options_.crop == 1) return pixels;
  const int64_t count = pixels.size(0), size = pixels.size(2);
  const auto uniform = [&](at::IntArrayRef shape) {
    return at::rand(shape, generator, at::kFloat);
  };
  // One resampling does it all: where each picture reads, in a frame from -1 to 1.
  const Tensor share = options_.crop + (1 - options_.crop) * uniform({count, 1});
  const Tensor left_or_right =
      options_.flip ? (uniform({count, 1}) < 0.5).to(at::kFloat) * 2 - 1 : at::ones({count, 1});
  const Tensor steps = at::randint(-options_.shift, options_.shift + 1, {count, 2}, generator,
                                   at::TensorOptions(at::kFloat));
  const Tensor room = (1 - share) * (uniform({count, 2}) * 2 - 1);
  const Tensor move = room + steps * (2.0 / static_cast<double>(size));
  const Tensor none = at::zeros({count, 1});
  const Tensor across = at::cat({share * left_or_right, none, move.narrow(1, 0, 1)}, 1);
  const Tensor down = at::cat({none, share, move.narrow(1, 1, 1)}, 1);
  const Tensor places = at::affine_grid_generator(at::stack({across, down}, 1),
                                                  {count, 1, size, size}, /*align_corners=*/false);
  constexpr int64_t bilinear = 0, black_outside = 0;
  return at::grid_sampler_2d(pixels, places, bilinear, black_outside, /*align_corners=*/false);
}

Tensor Views::seen(const Tensor& pixels, int64_t size, at::Generator& generator) const {
  return options_.view == "canvas" ? placed(pixels, size, generator) : scaled(pixels, size);
}

Views::Shown Views::training(const TrainingRequest& request) const {
  const Tensor which = random_indices(images_.count(Split::train), request);
  at::Generator generator = stream(request.seed, "data", request.step);
  const Tensor pixels = images_.pixels(Split::train, which);
  return {augmented(seen(pixels, request.size, generator), generator),
          images_.labels(Split::train, which)};
}

void Views::evaluation(const EvaluationRequest& request,
                       const std::function<void(const Shown&)>& use) const {
  const Split split = request.split;
  const int64_t count = std::min(images_.count(split), request.samples);
  const Tensor order = permutation(images_.count(split), stream(0, "evaluation order"));
  at::Generator places =
      stream(0, evaluation_stream(request.split), static_cast<uint64_t>(request.size));
  for (const Tensor& which : order.narrow(0, 0, count).split(request.batch)) {
    use({seen(images_.pixels(split, which), request.size, places), images_.labels(split, which)});
  }
}

void Views::check(int64_t size, const std::string& task) const {
  const int64_t patch = options_.patch;
  if (size < patch || size % patch != 0) {
    input_error("{}: pictures of {} pixels a side found, a multiple of patch={} expected", task,
                size, patch);
  }
  if (options_.view == "canvas" && size < images_.side()) {
    input_error("{}: a canvas of {} pixels a side found, at least the pictures' {} expected", task,
                size, images_.side());
  }
}

void Views::check(const EvaluationRequest& request, const std::string& task) const {
  check(request.size, task);
  check_counts(request, task);
}

}  // namespace relbias::modalities
