// SPDX-License-Identifier: Apache-2.0
// encodings/shared: a table over any number of axes, read between its cells.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace relbias::encodings {

/// The table at places between its cells: along every axis linear, or cubic convolution (Keys 1981,
/// a = -0.75, as image libraries have it); beyond the table its border goes on. On two axes these
/// are bilinear and bicubic.
///
/// Cells 0 1 4 of one axis at 0.5, 2.5: linear 0.5 4.
at::Tensor interpolated_over_axes(const at::Tensor& table,  // [H, cells], the last axis fastest
                                  const std::vector<int64_t>& cells,  // on every axis
                                  const at::Tensor& places,           // [R, A], in cells
                                  bool cubic);                        // -> [H, R]

}  // namespace relbias::encodings
