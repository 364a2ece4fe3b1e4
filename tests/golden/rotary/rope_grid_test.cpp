// SPDX-License-Identifier: Apache-2.0
// tests/golden/rotary: `rope` on grids, axial and mixed, against timm.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "encodings/attention/rotate.h"
#include "tests/golden/relations.h"
#include "tests/golden/rotary/rotary_cases.h"

namespace relbias::golden {
namespace {

class GridRotary : public RotaryTest {
 protected:
  int64_t height() const { return golden.integers("shape")[0]; }
  int64_t width() const { return golden.integers("shape")[1]; }
  ModelShape shape() {
    const Tensor x = golden.read("in/x");
    return {.heads = x.size(1), .head_width = x.size(3)};
  }

  // A grid of the case's size, its tokens at other places than ours.
  RelationMap grid_at(const Tensor& places) const {  // [N, 2]
    RelationMap map = grid(height(), width());
    map.key_coordinates = places.to(at::kFloat).unsqueeze(0);
    map.query_coordinates = map.key_coordinates;
    return map;
  }

  // Holds `out/embed`, sines and then cosines of every channel, and `out/x` against ours.
  void expect_embedding_and_x(const Rotation& rotation, bool half_layout) {
    const auto tables = golden.read("out/embed").chunk(2, -1);  // [N, D] each
    const Tensor angles = at::full({1}, largest_angle());
    const auto once = [&](const Tensor& twice) {  // of each pair
      const Tensor pairs = half_layout ? twice.chunk(2, 1)[0] : twice.slice(1, 0, twice.size(1), 2);
      return pairs.unsqueeze(0).unsqueeze(0);
    };
    Rotation shared = rotation;  // mixed: all heads alike
    for (Tensor* table : {&shared.query_cos, &shared.query_sin, &shared.key_cos, &shared.key_sin}) {
      *table = table->narrow(1, 0, 1);
    }
    expect_tables(shared, once(tables[1]), once(tables[0]), angles);
    Tensor x = golden.read("in/x"), other;
    if (half_layout && rotation.blocks == 2) x = axes_apart(x);
    other = x;
    rotate(rotation, x, other);
    const Tensor expected = golden.read("out/x");
    expect_close("x", x, half_layout && rotation.blocks == 2 ? axes_apart(expected) : expected,
                 1e-6 + largest_angle() * 2e-7);
  }

  // timm's half layout spans the whole head, y x y x; ours keeps an axis together, y y x x.
  static Tensor axes_apart(const Tensor& x) {
    return x.unflatten(3, {2, 2, -1}).transpose(3, 4).flatten(3);
  }

  virtual double largest_angle() const { return 12; }
};

class AxialRope : public GridRotary {
 protected:
  // Places as the case's options have them: (y, x) unless `xy`, moved, or scaled to another grid.
  Tensor places() const {
    Tensor places = raster(height(), width()).to(at::kDouble);
    if (golden.has_option("grid_offset")) places = places + golden.real("grid_offset");
    if (golden.has_option("ref_feat_shape")) {
      const auto of = golden.integers("ref_feat_shape");
      places = places * at::tensor({static_cast<double>(of[0]) / static_cast<double>(height()),
                                    static_cast<double>(of[1]) / static_cast<double>(width())},
                                   at::kDouble);
    }
    return golden.has_option("grid_indexing") ? places.flip(1) : places;
  }
};

TEST_P(AxialRope, EqualsThePackage) {
  const RelationMap map = grid_at(places());
  const bool half = golden.has_option("rotate_half");
  const double base = golden.has_option("temperature") ? golden.real("temperature") : 10000;
  const auto encoding =
      make(fmt::format("rope axes=axial layout={} base={}", half ? "half" : "interleaved", base),
           shape(), map);
  expect_embedding_and_x(*encoding->terms(map).rotation, half);
}
std::vector<CaseId> axial(const std::string& bands) {
  return cases("rope2d_timm", "axial/" + bands);
}
std::vector<CaseId> ladders() {
  auto all = axial("lang_");
  for (const auto& id : axial("eva02")) all.push_back(id);
  return all;
}
RELBIAS_GOLDEN_TESTS(AxialRope, ladders());

class DinoRope : public GridRotary {
 protected:
  // Centres of the cells in -1..1, a side taken as the longer or shorter one where it says so.
  Tensor places() const {
    const std::string by = golden.word("normalize_coords");
    const int64_t low = std::min(height(), width()), high = std::max(height(), width());
    const auto along = [&](int64_t side) {
      const int64_t by_side = by == "max" ? high : by == "min" ? low : side;
      return 2 * (at::arange(side, at::kDouble) + 0.5) / static_cast<double>(by_side) - 1;
    };
    return at::cartesian_prod({along(height()), along(width())});
  }
};

TEST_P(DinoRope, EqualsThePackage) {
  const RelationMap map = grid_at(places() * 2 * std::numbers::pi);
  const auto encoding = make("rope axes=axial layout=half base=100", shape(), map);
  expect_embedding_and_x(*encoding->terms(map).rotation, true);
}
RELBIAS_GOLDEN_TESTS(DinoRope, cases("rope2d_timm", "dinov3/"));

class PixelRope : public GridRotary {
 protected:
  double largest_angle() const override { return golden.read("w/bands").max().item<double>(); }
};

// Other frequencies than a ladder's: ours are learned with axes=mixed, so they can be put in.
TEST_P(PixelRope, EqualsThePackage) {
  const auto along = [](int64_t side) { return at::linspace(-1, 1, side, at::kDouble); };
  const RelationMap map = grid_at(at::cartesian_prod({along(height()), along(width())}));
  const auto encoding = make("rope axes=mixed layout=interleaved", shape(), map);
  const Tensor bands = golden.read("w/bands"), none = at::zeros_like(bands);
  const Tensor frequencies = at::stack({at::cat({bands, none}), at::cat({none, bands})});  // y, x
  set(*encoding, "frequencies", frequencies.unsqueeze(1).expand({2, shape().heads, -1}));
  expect_embedding_and_x(*encoding->terms(map).rotation, false);
}
RELBIAS_GOLDEN_TESTS(PixelRope, axial("pixel_"));

class MultimodalRope : public GridRotary {};

// One ladder whose channels take turns between time (0 here), height and width.
TEST_P(MultimodalRope, EqualsThePackage) {
  const RelationMap map = grid(height(), width());
  const auto encoding = make("rope axes=mixed layout=half", shape(), map);
  const Tensor ladder = golden.read("w/inv_freq"), axis = golden.read("w/axis");
  const Tensor frequencies = at::stack({ladder * (axis == 1), ladder * (axis == 2)});
  set(*encoding, "frequencies", frequencies.unsqueeze(1).expand({2, shape().heads, -1}));
  expect_embedding_and_x(*encoding->terms(map).rotation, true);
}
RELBIAS_GOLDEN_TESTS(MultimodalRope, cases("rope2d_timm", "mrope_interleaved/"));

class MixedRope : public GridRotary {};

// A layer has frequencies of its own. Their first axis is y here and in `ij`, x in `xy`.
TEST_P(MixedRope, EqualsThePackage) {
  const RelationMap map = grid(height(), width());
  const Tensor frequencies = golden.w("freqs");  // [2, layers, H, P]
  const bool x_first = GetParam().group.find("/xy") != std::string::npos;
  std::vector<Tensor> embedding;
  Tensor x = golden.in("x"), other = x;
  for (int64_t layer = 0; layer < golden.integer("depth"); ++layer) {
    const auto encoding = make("rope axes=mixed layout=interleaved", shape(), map);
    const Tensor own = frequencies.select(1, layer);
    set(*encoding, "frequencies", x_first ? own.flip(0) : own);
    const Rotation rotation = *encoding->terms(map).rotation;
    const auto twice = [](const Tensor& table) { return table.squeeze(0).repeat_interleave(2, 2); };
    embedding.push_back(at::cat({twice(rotation.key_sin), twice(rotation.key_cos)}, 2));
    if (layer == 1) rotate(rotation, x, other);
  }
  // The package has sines and cosines in float32.
  expect({{"embed", at::stack(embedding)}, {"x_block1", x}}, {3e-7, 5e-7});
}
RELBIAS_GOLDEN_TESTS(MixedRope, cases("rope2d_timm", "mixed/"));

class EvaAttention : public GoldenTest {};

// A class token, which is not rotated, before a 3x4 grid whose places are scaled to 2x2.
TEST_P(EvaAttention, EqualsThePackage) {
  const int64_t heads = golden.integer("num_heads");
  const Tensor x = golden.in("x");
  RelationMap map = with_class_token(grid(3, 4));
  map.key_coordinates = map.key_coordinates * at::tensor({2.f / 3.f, 2.f / 4.f});
  map.query_coordinates = map.key_coordinates;
  const auto encoding = make("rope axes=axial layout=interleaved",
                             {.heads = heads, .head_width = x.size(2) / heads}, map);
  const Tensor bias = at::cat({golden.w("q_bias"), golden.read("w/k_bias"), golden.w("v_bias")});
  const auto qkv = at::linear(x, golden.w("qkv.weight"), bias).chunk(3, 2);
  const auto result =
      attended(split_heads(qkv[0], heads), split_heads(qkv[1], heads), split_heads(qkv[2], heads),
               {{map, encoding->terms(map)}}, {.return_weights = true});
  // The package's angles are float32.
  expect(
      {{"out", at::linear(join_heads(result.out), golden.w("proj.weight"), golden.w("proj.bias"))}},
      {5e-7, 5e-7});
}
RELBIAS_GOLDEN_TESTS(EvaAttention, cases("rope2d_timm", "eva_attention/"));

}  // namespace
}  // namespace relbias::golden
