// SPDX-License-Identifier: Apache-2.0
// modalities/image: labelled pictures of one square size, in three splits that share no picture.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "modalities/modality.h"
#include "modalities/sampling/division.h"
#include "modalities/sampling/split.h"

namespace relbias::modalities {

/// The pictures of one split.
struct Pictures {
  Tensor pixels;  // [n, C, S, S], C = 1 grey or 3 red, green, blue; uint8, or float32 from 0 to 1
  Tensor labels;  // [n] int64
  int64_t count() const { return labels.defined() ? labels.size(0) : 0; }
};

/// What an image dataset was read from, and how it was divided.
struct ImageSource {
  std::string origin;        // for the report: what was read, what was skipped
  std::string content_hash;  // of the files as they were found
  std::vector<std::string> classes;
  std::array<Pictures, 3> splits;  // by Split
};

/// Pictures are kept as they were read, 8 bits as 8 bits, and handed out as float32 from 0 to 1.
class ImageDataset final : public Dataset {
 public:
  /// Throws InputError where a split is without pictures, a label is out of range, fewer than two
  /// classes are trained, or a class is held out and not trained. Classes without any picture, as
  /// of idx files that have only some of the digits, are named in the report.
  explicit ImageDataset(ImageSource source);

  std::string content_hash() const override { return source_.content_hash; }
  std::string report() const override { return source_.origin; }

  /// Classes in the order of their labels.
  const std::vector<std::string>& classes() const { return source_.classes; }
  int64_t side() const { return at(Split::train).pixels.size(2); }
  int64_t channels() const { return at(Split::train).pixels.size(1); }
  int64_t count(Split split) const { return at(split).count(); }
  /// [b, C, S, S] float32 from 0 to 1.
  Tensor pixels(Split split, const Tensor& which) const;  // [b] int64
  Tensor labels(Split split, const Tensor& which) const;  // -> [b] int64
  /// The class with the most training pictures.
  int64_t commonest() const;
  /// Mean and standard deviation of every channel over the training pictures, [C] float32.
  const Tensor& mean() const { return mean_; }
  const Tensor& deviation() const { return deviation_; }

 private:
  const Pictures& at(Split split) const { return source_.splits[static_cast<size_t>(split)]; }

  ImageSource source_;
  Tensor mean_, deviation_;
};

/// Divides `all` for data that has no split of its own, every class by itself: by a hash of each
/// picture's pixels, or of its `source` where one is given (one a picture: a font, a writer; then
/// classes are divided alike). Copies stay together, one more picture moves no other. No class
/// loses all its training pictures, and a class of three or more is in every split with a share.
std::array<Pictures, 3> divided_by_class(const Pictures& all, const Shares& shares,
                                         const std::vector<std::string>& sources = {});

/// The dataset as one of pictures, or an InputError that says what it is to `task`.
const ImageDataset& images_of(const Dataset* dataset, const std::string& task);

}  // namespace relbias::modalities
