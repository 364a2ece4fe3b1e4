// SPDX-License-Identifier: Apache-2.0
// modalities/image: one picture read from the bytes of a file, under policies that are stated.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>
#include <vector>

#include "modalities/plain/rooms.h"

namespace relbias::modalities {

/// How every picture of a dataset is brought to one shape.
struct PictureShape {
  int64_t side = 32;         // S
  bool colour = true;        // red green blue; else grey
  std::string fit = "crop";  // of a picture that is not square: crop | pad | stretch
  int64_t least = 8;         // a picture with a shorter side is refused
};

struct PictureFile {
  at::Tensor pixels;                 // [C, S, S] float32 from 0 to 1; undefined: refused
  std::string fault;                 // why it was refused
  bool deep = false;                 // 8 bits do not hold its samples
  std::vector<std::string> notes{};  // what a report counts: `of 16 bits`
};

/// Policies, all stated in the dataset's report:
///
///     formats       PNG, JPEG, BMP, TIFF, WebP, PNM (by content, not by name); others are refused
///     orientation   as EXIF or TIFF says: what a viewer shows upright is upright here
///     channels      red, green, blue; grey = 0.299 R + 0.587 G + 0.114 B
///     depth         8 bits / 255, 16 bits / 65535, PNM by its largest value, fewer bits by theirs;
///                   signed and real samples are refused
///     meaning       also of TIFFs whose 0 is white; CMYK is converted plainly, and said to be
///     transparency  over black, the colour that also lies around shifted and padded pictures
///     colour        taken for sRGB; a profile or a gamma that says otherwise is said, not applied
///     pages         the first of several, and said; animated WebP is refused
///     not square    crop: the middle square; pad: black around; stretch: sides unlike scaled
///     size          area averages where it shrinks, bilinear where it grows
///     cut short     refused: half a JPEG decodes to a picture with a grey rest, and without error
///     damaged       refused: also a JPEG of which libjpeg says that its coded pixels are corrupt,
///                   though it makes a picture of them
///
/// Throws nothing: what cannot be read has a fault. What decoders say on standard error is not
/// shown, as it names no file; so one picture is decoded at a time.
PictureFile read_picture(std::string_view bytes, const PictureShape& shape);

}  // namespace relbias::modalities
