// SPDX-License-Identifier: Apache-2.0
// encodings/shared: interpolation axis by axis, as a sum over the cells around a place.
#include "encodings/shared/axis_interpolation.h"

#include <ATen/ATen.h>

namespace relbias::encodings {
namespace {

/// A cell near every place, and its weight there.
struct Tap {
  at::Tensor cell;    // [R] int64
  at::Tensor weight;  // [R]
};

// Weight of a cell at a distance from 0 to 2.
at::Tensor cubic_weight(const at::Tensor& d) {
  constexpr double a = -0.75;
  const at::Tensor near = ((a + 2) * d - (a + 3)) * d * d + 1;
  const at::Tensor far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return at::where(d <= 1, near, far);
}

std::vector<Tap> taps_along(const at::Tensor& place, int64_t cells, bool cubic) {
  const at::Tensor inside = place.clamp(0, static_cast<double>(cells - 1));
  const at::Tensor below = inside.floor();
  std::vector<Tap> taps;
  for (int64_t step = cubic ? -1 : 0; step <= (cubic ? 2 : 1); ++step) {
    const at::Tensor distance = (inside - (below + step)).abs();
    taps.push_back({(below.to(at::kLong) + step).clamp(0, cells - 1),
                    cubic ? cubic_weight(distance) : 1 - distance});
  }
  return taps;
}

}  // namespace

at::Tensor interpolated_over_axes(const at::Tensor& table, const std::vector<int64_t>& cells,
                                  const at::Tensor& places, bool cubic) {
  const at::Tensor exact = places.to(table.device(), table.scalar_type());
  std::vector<Tap> around{{at::zeros({places.size(0)}, exact.options().dtype(at::kLong)),
                           at::ones({places.size(0)}, exact.options())}};
  for (size_t axis = 0; axis < cells.size(); ++axis) {
    const auto along = taps_along(exact.select(1, static_cast<int64_t>(axis)), cells[axis], cubic);
    std::vector<Tap> next;
    for (const Tap& before : around) {
      for (const Tap& tap : along) {
        next.push_back({before.cell * cells[axis] + tap.cell, before.weight * tap.weight});
      }
    }
    around = std::move(next);
  }
  at::Tensor sum;
  for (const Tap& tap : around) {
    const at::Tensor part = table.index_select(1, tap.cell) * tap.weight;
    sum = sum.defined() ? sum + part : part;
  }
  return sum;
}

}  // namespace relbias::encodings
