// SPDX-License-Identifier: Apache-2.0
// encodings: cutting off and shrinking of positions past the trained size.
#include "encodings/shared/past_range.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace relbias::encodings {
namespace {

// Interpolation maps the first and the last position of the larger side onto those of the trained
// one, so that the ends of a table are its ends; a side that is not larger stays as it is.
double interpolation(int64_t side, int64_t trained) {
  return side > trained ? static_cast<double>(trained - 1) / static_cast<double>(side - 1) : 1.0;
}

Tensor offsets_in_range(const RelationMap& relation, const RelationMap& trained, PastRange range) {
  if (!relation.offsets.defined()) return {};
  std::vector<Tensor> axes = relation.offsets.unbind(-1);
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    const int64_t side = relation.sides.at(axis), limit = trained.sides.at(axis);
    if (range == PastRange::interpolate) axes[axis] = axes[axis] * interpolation(side, limit);
    if (range == PastRange::clamp) axes[axis] = axes[axis].clamp(1 - limit, limit - 1);
  }
  return at::stack(axes, -1);
}

// Places of tokens, [B|1, N, A]. On a line interpolation puts the first and the last token onto
// those of the trained size. The cells of a grid are parts of a picture: the centre of each stays
// where it is in the picture, (x + 1/2) * trained / side - 1/2. 4 cells, 2 trained: -0.25 0.25 0.75
// 1.25.
Tensor places_in_range(const Tensor& places, const RelationMap& relation,
                       const RelationMap& trained, PastRange range) {
  if (!places.defined()) return {};
  const bool is_grid = relation.sides.size() > 1;
  std::vector<Tensor> axes = places.unbind(-1);
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    const int64_t side = relation.sides.at(axis), limit = trained.sides.at(axis);
    if (range == PastRange::clamp) axes[axis] = axes[axis].clamp(1 - limit, limit - 1);
    if (range != PastRange::interpolate || side <= limit) continue;
    const double share = static_cast<double>(limit) / static_cast<double>(side);
    axes[axis] =
        is_grid ? (axes[axis] + 0.5) * share - 0.5 : axes[axis] * interpolation(side, limit);
  }
  const Tensor moved = at::stack(axes, -1);
  if (!relation.unplaced.defined()) return moved;
  const int64_t keys = relation.unplaced.size(0), tokens = places.size(1);
  return at::where(relation.unplaced.narrow(0, keys - tokens, tokens).unsqueeze(1), places, moved);
}

Tensor distance_in_range(const RelationMap& original, const RelationMap& moved) {
  if (!original.distance.defined() || !original.offsets.defined()) return original.distance;
  // Along an axis the distance shrinks as its offset does, whatever the norm over the axes is.
  const Tensor before = original.offsets.norm(2, -1), after = moved.offsets.norm(2, -1);
  return original.distance * at::where(before > 0, after / before, at::ones_like(before));
}

}  // namespace

bool is_past_range(const RelationMap& relation, const RelationMap& trained) {
  for (size_t axis = 0; axis < relation.sides.size() && axis < trained.sides.size(); ++axis) {
    if (relation.sides[axis] > trained.sides[axis]) return true;
  }
  return false;
}

RelationMap in_trained_steps(const RelationMap& relation, const RelationMap& trained) {
  if (relation.unit_seconds <= 0 || trained.unit_seconds <= 0) return relation;
  const double factor = relation.unit_seconds / trained.unit_seconds;
  if (std::abs(factor - 1) < 1e-9) return relation;
  const auto stretched = [&](const Tensor& positions) {
    if (!positions.defined()) return positions;
    std::vector<Tensor> axes = positions.unbind(-1);
    axes.front() = axes.front() * factor;
    return at::stack(axes, -1);
  };
  RelationMap moved = relation;
  moved.offsets = stretched(relation.offsets);
  moved.key_coordinates = stretched(relation.key_coordinates);
  moved.query_coordinates = stretched(relation.query_coordinates);
  moved.distance = distance_in_range(relation, moved);
  const auto last = static_cast<double>(std::max<int64_t>(relation.sides.at(0) - 1, 0));
  moved.sides.front() = static_cast<int64_t>(std::ceil(last * factor - 1e-6)) + 1;
  return moved;
}

RelationMap in_range(const RelationMap& relation, const RelationMap& trained, PastRange range) {
  const bool moves = range == PastRange::clamp || range == PastRange::interpolate;
  if (!moves || !is_past_range(relation, trained)) return relation;
  RelationMap moved = relation;
  moved.offsets = offsets_in_range(relation, trained, range);
  moved.key_coordinates = places_in_range(relation.key_coordinates, relation, trained, range);
  moved.query_coordinates = places_in_range(relation.query_coordinates, relation, trained, range);
  moved.distance = distance_in_range(relation, moved);
  return moved;
}

}  // namespace relbias::encodings
