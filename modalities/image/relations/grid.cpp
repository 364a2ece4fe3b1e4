// SPDX-License-Identifier: Apache-2.0
// modalities/image: relation `grid`, the offset (dy, dx) between two patches of a picture.
#include <ATen/ATen.h>

#include <cmath>

#include "modalities/relation.h"

namespace relbias {
namespace {

const std::vector<std::string> class_ids = {"class token to patch", "patch to class token",
                                            "class token to itself"};

Tensor lengths(const Tensor& offsets, const std::string& measure) {  // [R, 2] -> [R]
  if (measure == "manhattan") return offsets.abs().sum(1);
  if (measure == "chebyshev") return offsets.abs().amax(1);
  return offsets.square().sum(1).sqrt();
}

/// r(i,j) = (dy, dx) = place of key j - place of query i, patches of H rows and W columns in raster
/// order. Ids have the order of the published tables (Swin, BEiT), which count query - key:
/// id = (H - 1 - dy)(2W - 1) + (W - 1 - dx), of R = (2H - 1)(2W - 1).
///
/// 2x2: 4 3 1 0   2x3: 7 6 5 2 1 0    1x2: 1 0   row 4 of 2x2 is (0, 0), row 3 (0, 1): the key to
///      5 4 2 1        8 7 6 3 2 1         2 1   the right, row 1 (1, 0): the key below.
///      7 6 4 3        ...
///      8 7 5 4       14 13 12 9 8 7
///
/// A class token stands before the patches, in no place: three ids of its own behind the others,
/// R + 0 from it to a patch, R + 1 from a patch to it, R + 2 to itself. 2x2 with one, 12 rows:
///
///     11  9  9  9  9
///     10  4  3  1  0
///     10  5  4  2  1
///     10  7  6  4  3
///     10  8  7  5  4
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
    if (class_token_) traits.special_ids = class_ids;
    return traits;
  }

  RelationMap map(const Structure& sample) const override {
    check(sample);
    const int64_t height = sample.sides[0], width = sample.sides[1];
    const int64_t patches = height * width, first = class_token_ ? 1 : 0;
    const int64_t ordinary = patches > 0 ? (2 * height - 1) * (2 * width - 1) : 0;
    RelationMap map;
    map.index_class = IndexClass::grid;
    map.queries = sample.queries;
    map.keys = sample.keys;
    map.rows = ordinary + (class_token_ ? static_cast<int64_t>(class_ids.size()) : 0);
    map.sides = sample.sides;

    // Places of all tokens, the class token's at the origin.
    const Tensor patch = at::arange(patches);
    const Tensor row =
        at::constant_pad_nd(patch.div(std::max<int64_t>(width, 1), "floor"), {first, 0});
    const Tensor column =
        at::constant_pad_nd(patch.remainder(std::max<int64_t>(width, 1)), {first, 0});
    const auto last_queries = [&](const Tensor& tokens) {
      return tokens.narrow(0, sample.keys - sample.queries, sample.queries);
    };
    const auto behind = [&](const Tensor& place) {  // query - key
      return last_queries(place).unsqueeze(1) - place.unsqueeze(0);
    };
    map.index = ((behind(row) + (height - 1)) * (2 * width - 1) + behind(column) + (width - 1))
                    .to(at::kInt);
    map.offsets =
        at::constant_pad_nd(offsets_of_ids(height, width), {0, 0, 0, map.rows - ordinary});
    map.distance = lengths(map.offsets, measure_);
    map.key_coordinates = at::stack({row, column}, 1).to(at::kFloat).unsqueeze(0);
    map.query_coordinates = last_queries(map.key_coordinates[0]).unsqueeze(0);
    if (class_token_) add_class_ids(map, ordinary);
    return map;
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
  // [(2H - 1)(2W - 1), 2] float32, key - query.
  static Tensor offsets_of_ids(int64_t height, int64_t width) {
    if (height * width == 0) return at::zeros({0, 2});
    return at::cartesian_prod({at::arange(height - 1, -height, -1, at::kFloat),
                               at::arange(width - 1, -width, -1, at::kFloat)});
  }

  void add_class_ids(RelationMap& map, int64_t ordinary) const {
    const bool is_query = map.queries == map.keys;
    map.index.select(1, 0).fill_(ordinary + 1);
    if (is_query) {
      map.index.select(0, 0).fill_(ordinary);
      map.index.select(0, 0).select(0, 0).fill_(ordinary + 2);
    }
    map.special = at::cat({at::full({ordinary}, -1, at::kLong), at::arange(3)});
    map.unplaced = at::arange(map.keys) == 0;
  }

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

}  // namespace relbias
