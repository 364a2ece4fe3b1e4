// SPDX-License-Identifier: Apache-2.0
// tests: image datasets made or read for a test.
#pragma once

#include <ATen/ATen.h>

#include "modalities/image/image.h"

namespace relbias::modalities {

/// The dataset that `text` names, `digits` or `idx path=...`.
inline std::unique_ptr<ImageDataset> image_dataset(const std::string& text) {
  const auto& entry = find_entry("dataset", option_name(text), dataset_entries());
  auto dataset = entry.make(parse_options("dataset", text, entry.options));
  auto* images = dynamic_cast<ImageDataset*>(dataset.get());
  if (images == nullptr) throw std::logic_error(text + " is no dataset of pictures");
  dataset.release();
  return std::unique_ptr<ImageDataset>(images);
}

/// `count` pictures of every split, 4x4 grey, picture n filled with n / 255 and labelled n mod 2;
/// splits go on counting where the one before ended.
inline ImageDataset numbered_pictures(int64_t count) {
  ImageSource source{.origin = "numbered", .content_hash = "0", .classes = {"even", "odd"}};
  for (int64_t split = 0; split < 3; ++split) {
    const at::Tensor number = at::arange(split * count, (split + 1) * count);
    source.splits[static_cast<size_t>(split)] = {
        number.to(at::kByte).view({-1, 1, 1, 1}).expand({-1, 1, 4, 4}).contiguous(),
        number.remainder(2)};
  }
  return ImageDataset(std::move(source));
}

}  // namespace relbias::modalities
