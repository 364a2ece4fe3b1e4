// SPDX-License-Identifier: Apache-2.0
// tests/golden/text: `sinusoidal` against timm and PyTorch Geometric.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>

#include "tests/golden/golden_test.h"
#include "tests/golden/relations.h"

namespace relbias::golden {
namespace {

class SinusoidalTest : public GoldenTest {
 protected:
  // What is added to the tokens, its channels taken apart: [N, axes, frequencies, 2 (sine,
  // cosine)].
  Tensor added(const std::string& text, int64_t width, const RelationMap& map) {
    const auto encoding = make(text, {.heads = 1, .head_width = width}, map);
    const Tensor none = at::zeros({1, map.keys, width}, at::kDouble);
    return encoding->tokens(none, map).squeeze(0).unflatten(1,
                                                            {map.key_coordinates.size(2), -1, 2});
  }
};

class GridSinusoids : public SinusoidalTest {};

TEST_P(GridSinusoids, EqualThePackage) {
  const auto shape = golden.integers("shape");
  // reverse_coord: the tokens run through the columns.
  const bool reversed = golden.has_option("reverse_coord");
  const RelationMap map = reversed ? grid(shape[1], shape[0]) : grid(shape[0], shape[1]);
  const double base = golden.has_option("temperature") ? golden.real("temperature") : 10000;
  const Tensor ours = added(fmt::format("sinusoidal base={}", base), golden.integer("dim"), map);
  // All sines first, or those of an axis first.
  const bool by_axis = golden.has_option("interleave_sin_cos");
  const Tensor ordered = by_axis ? ours.permute({0, 1, 3, 2}) : ours.permute({0, 3, 1, 2});
  expect_close("embed", ordered.flatten(1), golden.read("out/embed"), 1e-6);  // float32 there
}
RELBIAS_GOLDEN_TESTS(GridSinusoids, cases("rope2d_timm", "sincos2d/"));

class LineSinusoids : public SinusoidalTest {};

// At fractional positions, too; all sines first. Its P frequencies reach 1/10000 itself, so that
// its ladder is that of the base 10000^(P / (P - 1)).
TEST_P(LineSinusoids, EqualThePackage) {
  const Tensor expected = golden.read("out/pe"), positions = golden.read("in/x").unsqueeze(0);
  const RelationMap map = at_positions(positions, positions.size(1));
  const double frequencies = static_cast<double>(expected.size(1)) / 2;
  const double base = std::pow(10000.0, frequencies / (frequencies - 1));
  const Tensor ours = added(fmt::format("sinusoidal base={}", base), expected.size(1), map);
  expect_close("pe", ours.permute({0, 3, 1, 2}).flatten(1), expected,
               5e-6);  // angles to 100, float32
}
RELBIAS_GOLDEN_TESTS(LineSinusoids, cases("graph_pyg", "sincos/"));

}  // namespace
}  // namespace relbias::golden
