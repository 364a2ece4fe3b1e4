// SPDX-License-Identifier: Apache-2.0
// modalities/image: relation `grid`, the offset (dy, dx) between two patches of a picture.
#include <ATen/ATen.h>

#include <cmath>

#include "modalities/maps/grid_map.h"

namespace relbias::modalities {
namespace {

// Of every id, [R].
Tensor lengths(const RelationMap& map, const std::string& measure) {
  if (measure == "manhattan") return map.offsets.abs().sum(1);
  if (measure == "chebyshev") return map.offsets.abs().amax(1);
  return map.distance;
}

/// r(i,j) = (dy, dx) = place of key j - place of query i, patches of H rows and W columns in raster
/// order, a class token before them if there is one: ids as grid_map has them.
///
/// 2x2: 4 3 1 0 / 5 4 2 1 / 7 6 4 3 / 8 7 5 4; with a class token row 0 = 11 9 9 9 9
///
/// The distance is Euclidean, the larger of |dy| and |dx| (chebyshev) or their sum (manhattan).
class Grid final : public Relation {
 public:
  explicit Grid(const Options& options)
      : height_(options.integer("height")),
        width_(options.integer("width")),
        class_token_(options.flag("class_token")),
        measure_(options.word("distance")) {}

  RelationTraits traits() const override {
    RelationTraits traits{
        .index_class = IndexClass::grid, .axes = 2, .distance = true, .coordinates = 2};
    traits.places = {"dy", "dx"};
    if (class_token_) traits.special_ids = class_token_ids;
    return traits;
  }

  RelationMap map(const Structure& sample) const override {
    check(sample);
    RelationMap map = grid_map(sample.sides, class_token_, sample.queries);
    map.distance = lengths(map, measure_);
    return map;
  }

  std::optional<std::vector<int64_t>> map_key(const Structure& sample) const override {
    return grid_key(sample.sides, sample);
  }

  Structure structure(std::optional<int64_t> queries, std::optional<int64_t> keys) const override {
    const int64_t first = class_token_ ? 1 : 0;
    Structure grid;
    grid.class_token = class_token_;
    // A number of keys settles a side that is left open; none of the three given: 2x2.
    const auto open_keys = keys ? keys : height_ == 0 && width_ == 0 ? queries : std::nullopt;
    grid.sides = sides_for(open_keys ? std::optional(*open_keys - first) : std::nullopt);
    grid.keys = grid.sides[0] * grid.sides[1] + first;
    grid.queries = queries.value_or(grid.keys);
    if (keys.value_or(grid.keys) != grid.keys || grid.queries > grid.keys) {
      input_error(
          "relation grid: {} queries and {} keys found, {} tokens expected: {}x{} patches{}",
          grid.queries, keys.value_or(grid.keys), grid.keys, grid.sides[0], grid.sides[1],
          class_token_ ? " and a class token" : "");
    }
    return grid;
  }

 private:
  void check(const Structure& sample) const {
    if (sample.sides.size() != 2) {
      input_error("relation grid: tokens with {} sides found, a height and a width expected",
                  sample.sides.size());
    }
    if (sample.class_token != class_token_) {
      input_error(
          "relation grid: samples {} a class token, class_token={} found (a model has one with "
          "model.readout = \"class\")",
          sample.class_token ? "with" : "without", class_token_);
    }
    const int64_t height = sample.sides[0], width = sample.sides[1];
    if ((height_ > 0 && height != height_) || (width_ > 0 && width != width_)) {
      input_error("relation grid height={} width={}: a grid of {}x{} found", height_, width_,
                  height, width);
    }
    const int64_t tokens = height * width + (class_token_ ? 1 : 0);
    if (sample.keys != tokens || sample.queries > tokens) {
      input_error("relation grid: {} queries and {} keys found, {} tokens expected on {}x{}",
                  sample.queries, sample.keys, tokens, height, width);
    }
  }

  std::vector<int64_t> sides_for(std::optional<int64_t> patches) const {
    if (height_ > 0 && width_ > 0) return {height_, width_};
    if (!patches) {
      if (height_ == 0 && width_ == 0) return {2, 2};
      input_error("relation grid: {} found without {}", height_ > 0 ? "height" : "width",
                  height_ > 0 ? "width" : "height");
    }
    const auto root = static_cast<int64_t>(std::llround(std::sqrt(std::max<int64_t>(*patches, 0))));
    const int64_t given = height_ + width_;  // one of them is 0
    const int64_t side = given > 0 ? given : root;
    if (side == 0 || *patches % side != 0 || (given == 0 && root * root != *patches)) {
      input_error("relation grid: {} patches found, {} expected", *patches,
                  given > 0 ? fmt::format("a multiple of {}", given)
                            : "a square number, or a height and a width");
    }
    return height_ > 0 || given == 0 ? std::vector{side, *patches / side}
                                     : std::vector{*patches / side, side};
  }

  int64_t height_, width_;  // 0: as the sample has it
  bool class_token_;
  std::string measure_;
};

}  // namespace

RelationEntry relation_grid() {
  return {
      .summary = "offset (dy, dx) of key patch j from query patch i, raster order",
      .example =
          "2x2, ids in the order of the published tables: 4 3 1 0 / 5 4 2 1 / 7 6 4 3 / 8 7 "
          "5 4; with a class token row 0 = 11 9 9 9 9, column 0 below = 10",
      .options = {{"height", int64_t{0}, "rows of patches; 0: as the sample has", {}, 0, 1 << 15},
                  {"width", int64_t{0}, "columns of patches; 0: as the sample has", {}, 0, 1 << 15},
                  {"class_token", false, "a token without place stands before the patches"},
                  {"distance",
                   "euclidean",
                   "length of an offset",
                   {"euclidean", "chebyshev", "manhattan"}}},
      .make = [](const Options& options) { return std::make_unique<Grid>(options); },
  };
}

}  // namespace relbias::modalities
