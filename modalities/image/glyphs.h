// SPDX-License-Identifier: Apache-2.0
// modalities/image: letters as a font draws them.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace relbias::modalities {

/// The capitals A to Z of one font.
struct Capitals {
  std::string family;  // without `Narrow` and `Condensed`
  at::Tensor pixels;   // [26, 1, S, S] uint8, white on black; undefined: it has not all of them
};

/// Each letter as large as fits into three quarters of the picture, in its middle, unhinted: real
/// detail at every size. Throws InputError where `bytes` are no outline font; `name` says whose.
Capitals capitals_of_font(const std::string& name, const std::string& bytes, int64_t side);

}  // namespace relbias::modalities
