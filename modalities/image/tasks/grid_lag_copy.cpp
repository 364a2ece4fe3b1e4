// SPDX-License-Identifier: Apache-2.0
// modalities/image: task `grid-lag-copy`, the symbol a fixed offset away on a grid.
#include <ATen/ATen.h>

#include "modalities/sampling/sampled_task.h"

namespace relbias::modalities {
namespace {

/// S x S cells of uniform, independent symbols, one token a cell in raster order; the target of a
/// cell is the symbol `down` rows above and `right` columns to the left, the offset
/// (dy, dx) = (-down, -right) of the relation. Cells whose source lies outside are not scored.
/// down = 1, right = 2, 3x3:
///
///     cells  1 2 3    targets  . . .
///            4 5 6             . . 1
///            7 8 9             . . 4
///
/// A Euclidean distance sees up to eight cells sqrt(5) away: at best 0.371 on 8x8, 0.345 on 16x16,
/// 0.334 on 32x32. On the line of a flattened grid the offset depends on the width.
class GridLagCopy final : public SampledTask {
 public:
  explicit GridLagCopy(const Options& options)
      : symbols_(options.integer("symbols")),
        down_(options.integer("down")),
        right_(options.integer("right")) {}

  TaskTraits traits() const override {
    return {.vocabulary = symbols_,
            .questions = {{.outputs = symbols_}},
            .metrics = {"accuracy", "cross-entropy"},
            .chance = 1.0 / static_cast<double>(symbols_),
            .ceiling = 1.0};
  }

  int64_t tokens(int64_t size) const override { return size * size; }

 protected:
  void check_size(int64_t size) const override {
    const int64_t reach = std::max(down_, right_);
    if (size <= reach || size > largest_side) {
      input_error("grid-lag-copy: side {} found, more than the offset's {} and at most {} expected",
                  size, reach, largest_side);
    }
  }

  Batch draw(int64_t size, int64_t samples, at::Generator generator) const override {
    const Tensor cells = at::randint(0, symbols_, {samples, size, size}, generator, at::kLong);
    const auto targets_part = [&](const Tensor& grid) {
      return grid.slice(1, down_).slice(2, right_);
    };
    Tensor targets = at::zeros_like(cells), scored = at::zeros_like(cells, at::kBool);
    targets_part(targets).copy_(cells.slice(1, 0, size - down_).slice(2, 0, size - right_));
    targets_part(scored).fill_(true);
    Batch batch;
    batch.inputs = cells.flatten(1);
    batch.answers = {
        {.targets = targets.flatten(1),
         .scored = scored.flatten(1),
         .guesses = std::get<0>(batch.inputs.mode(1, /*keepdim=*/true)).expand_as(batch.inputs)}};
    batch.structures = {{.queries = size * size, .keys = size * size, .sides = {size, size}}};
    return batch;
  }

 private:
  static constexpr int64_t largest_side = 1024;

  int64_t symbols_, down_, right_;
};

}  // namespace

TaskEntry task_grid_lag_copy() {
  return {
      .summary =
          "the symbol one row above and two columns to the left: two axes against one, "
          "directions against distances",
      .relation = "grid",
      .trivial = "the commonest symbol of the grid, the likeliest to have been copied",
      .kind = TaskKind::gate,
      .ability = "exact offset on two axes: direction against distance",
      .options = {{"symbols", int64_t{8}, "different symbols", {}, 2, 65536},
                  {"down", int64_t{1}, "rows from the symbol down to its copy", {}, 0, 512},
                  {"right", int64_t{2}, "columns from the symbol right to its copy", {}, 0, 512}},
      .make = [](const Options& options,
                 const Dataset*) { return std::make_unique<GridLagCopy>(options); },
  };
}

}  // namespace relbias::modalities
