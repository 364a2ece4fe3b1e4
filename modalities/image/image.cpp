// SPDX-License-Identifier: Apache-2.0
// modalities/image: labelled pictures in three splits, and how they are divided.
#include "modalities/image/image.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "modalities/sampling/trained_classes.h"

namespace relbias::modalities {
namespace {

constexpr int64_t block = 4096;  // pictures converted at a time

Tensor from_0_to_1(const Tensor& pixels) {
  return pixels.scalar_type() == at::kByte ? pixels.to(at::kFloat) / 255 : pixels;
}

void check_labels(const ImageSource& source, Split split) {
  const Pictures& pictures = source.splits[static_cast<size_t>(split)];
  if (pictures.count() == 0) {
    input_error("{}: nothing is left for {}", source.origin, split_name(split));
  }
  const auto classes = static_cast<int64_t>(source.classes.size());
  const auto lowest = pictures.labels.min().item<int64_t>();
  const auto highest = pictures.labels.max().item<int64_t>();
  if (lowest < 0 || highest >= classes) {
    input_error("{}: label {} found, 0 to {} expected", source.origin,
                lowest < 0 ? lowest : highest, classes - 1);
  }
}

std::vector<ClassCount> count_classes(const ImageSource& source) {
  std::vector<ClassCount> classes;
  for (const std::string& name : source.classes) classes.push_back({.name = name});
  for (const Split split : all_splits) {
    const Pictures& pictures = source.splits[static_cast<size_t>(split)];
    const Tensor counts =
        at::bincount(pictures.labels, {}, static_cast<int64_t>(source.classes.size()));
    for (size_t label = 0; label < classes.size(); ++label) {
      auto& count = split == Split::train ? classes[label].trained : classes[label].held_out;
      count += counts[static_cast<int64_t>(label)].item<int64_t>();
    }
  }
  return classes;
}

// Takes out the classes that no picture has, which only add an output, and says so: `; without
// pictures: 3, 7`.
std::string take_empty(std::vector<ClassCount>& classes) {
  std::vector<std::string> names;
  std::erase_if(classes, [&](const ClassCount& each) {
    const bool empty = each.trained + each.held_out == 0;
    if (empty) names.push_back(each.name);
    return empty;
  });
  return names.empty() ? "" : fmt::format("; without pictures: {}", fmt::join(names, ", "));
}

// What a picture shows, to divide by.
std::string bytes_of(const Tensor& picture) {
  const Tensor whole = picture.contiguous();
  return {static_cast<const char*>(whole.data_ptr()), whole.nbytes()};
}

}  // namespace

ImageDataset::ImageDataset(ImageSource source) : source_(std::move(source)) {
  for (const Split split : all_splits) check_labels(source_, split);
  std::vector<ClassCount> classes = count_classes(source_);
  const std::string empty = take_empty(classes);
  check_trained(source_.origin, classes);
  const int64_t size = side(), colours = channels();
  source_.origin += fmt::format("; {} classes, {}x{} pixels, {}", source_.classes.size(), size,
                                size, colours == 1 ? "grey" : "red green blue");
  source_.origin += empty;
  for (const Split split : all_splits) {
    source_.origin += fmt::format("; {} {}", split_name(split), count(split));
  }
  Tensor sum = at::zeros({colours}, at::kDouble), squares = sum.clone();
  for (const Tensor& part : at(Split::train).pixels.split(block)) {
    const Tensor values = from_0_to_1(part).to(at::kDouble);
    sum += values.sum({0, 2, 3});
    squares += values.square().sum({0, 2, 3});
  }
  const auto pixels = static_cast<double>(count(Split::train) * size * size);
  mean_ = sum / pixels;
  // A channel that is the same everywhere is not stretched.
  deviation_ = (squares / pixels - mean_.square()).clamp_min(0).sqrt();
  deviation_ = at::where(deviation_ > 1e-6, deviation_, at::ones_like(deviation_)).to(at::kFloat);
  mean_ = mean_.to(at::kFloat);
}

Tensor ImageDataset::pixels(Split split, const Tensor& which) const {
  return from_0_to_1(at(split).pixels.index_select(0, which));
}

Tensor ImageDataset::labels(Split split, const Tensor& which) const {
  return at(split).labels.index_select(0, which);
}

int64_t ImageDataset::commonest() const {
  return at::bincount(at(Split::train).labels).argmax().item<int64_t>();
}

std::array<Pictures, 3> divided_by_class(const Pictures& all, const Shares& shares,
                                         const std::vector<std::string>& sources) {
  std::array<std::vector<int64_t>, 3> places;
  const int64_t classes = all.count() > 0 ? all.labels.max().item<int64_t>() + 1 : 0;
  for (int64_t label = 0; label < classes; ++label) {
    const Tensor members = (all.labels == label).nonzero().squeeze(1);
    std::vector<std::string> keys;
    for (int64_t n = 0; n < members.size(0); ++n) {
      const auto place = members[n].item<int64_t>();
      keys.push_back(sources.empty() ? bytes_of(all.pixels[place])
                                     : sources[static_cast<size_t>(place)]);
    }
    const Division division = divided(keys, shares, "content");
    for (int64_t n = 0; n < members.size(0); ++n) {
      places[static_cast<size_t>(division.splits[static_cast<size_t>(n)])].push_back(
          members[n].item<int64_t>());
    }
  }
  std::array<Pictures, 3> splits;
  for (const Split split : all_splits) {
    const auto& found = places[static_cast<size_t>(split)];
    if (found.empty()) continue;
    const Tensor which = at::tensor(found, at::kLong);
    splits[static_cast<size_t>(split)] = {all.pixels.index_select(0, which),
                                          all.labels.index_select(0, which)};
  }
  return splits;
}

const ImageDataset& images_of(const Dataset* dataset, const std::string& task) {
  return dataset_of<ImageDataset>(dataset, task, "pictures");
}

}  // namespace relbias::modalities
