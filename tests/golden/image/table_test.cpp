// SPDX-License-Identifier: Apache-2.0
// tests/golden/image: `table` on grids against Swin, BEiT and MaxViT of transformers and timm.
#include <ATen/ATen.h>

#include <array>
#include <cmath>

#include "tests/golden/golden_test.h"
#include "tests/golden/relations.h"

namespace relbias::golden {
namespace {

class TableTest : public GoldenTest {
 protected:
  std::array<int64_t, 2> window(const char* name = "window") const {
    const auto sides = golden.integers(name);
    return {sides.at(0), sides.at(1)};
  }

  static RelationMap grid_with(std::array<int64_t, 2> sides, int64_t class_tokens) {
    const RelationMap map = grid(sides[0], sides[1]);
    return class_tokens > 0 ? with_class_token(map) : map;
  }

  // The bias of every pair from a table [H, R] in the order of our ids.
  Tensor bias(const Tensor& table, const RelationMap& map) {
    const auto encoding = make("table", {.heads = table.size(0), .head_width = 4}, map);
    set(*encoding, "table", table);
    return score_of_pairs(encoding->terms(map), map);
  }

  // Tables of the packages are [R, H].
  Tensor published_table() { return golden.w("relative_position_bias_table").t(); }
};

class SwinTable : public TableTest {};

TEST_P(SwinTable, EqualsThePackage) {
  expect({{"bias", bias(published_table(), grid_with(window(), 0))}});
}
RELBIAS_GOLDEN_TESTS(SwinTable, cases("image_hf", "swin_bias/"));

class PrefixedTable : public TableTest {};

TEST_P(PrefixedTable, EqualsThePackage) {
  const RelationMap map = grid_with(window(), golden.integer("prefix_tokens"));
  expect({{"bias", bias(published_table(), map)}});
}
RELBIAS_GOLDEN_TESTS(PrefixedTable, cases("image_timm", "rel_pos_bias/"));

class MaxVitTable : public TableTest {};

// Its table [H, 2 height - 1, 2 width - 1] counts key - query, ids query - key.
TEST_P(MaxVitTable, EqualsThePackage) {
  const Tensor table = golden.w("relative_position_bias_table").flip({1, 2}).flatten(1);
  expect({{"bias", bias(table, grid_with(window(), 0)).squeeze(0)}});
}
RELBIAS_GOLDEN_TESTS(MaxVitTable, cases("image_timm", "rel_pos_bias_tf/"));

class ResizedTable : public TableTest {
 protected:
  // The score table on `larger`, learned on `trained`, read where the package reads: at `place` of
  // an offset on an axis. Ours would read at offset * (trained - 1) / (side - 1), which is undone
  // first.
  Terms read_at(const Tensor& table, RelationMap larger, const RelationMap& trained,
                const std::function<Tensor(const Tensor& offset, size_t axis)>& place) {
    std::vector<Tensor> axes;
    for (size_t axis = 0; axis < 2; ++axis) {
      const int64_t side = larger.sides[axis], limit = trained.sides[axis];
      const double ours =
          side > limit ? static_cast<double>(limit - 1) / static_cast<double>(side - 1) : 1;
      axes.push_back(place(larger.offsets.select(1, static_cast<int64_t>(axis)), axis) / ours);
    }
    larger.offsets = at::stack(axes, 1);
    const auto encoding = make("table past_range=interpolate kernel=linear",
                               {.heads = table.size(0), .head_width = 4}, trained);
    set(*encoding, "table", table);
    return encoding->terms(larger);
  }
};

class BeitTable : public ResizedTable {};

// Where the window is another than the table's, the package stretches the table from its outer
// edges, ours from the centres of its end rows.
TEST_P(BeitTable, EqualsThePackage) {
  const auto from = window("table_window"), to = window();
  const RelationMap trained = grid_with(from, 1), larger = grid_with(to, 1);
  if (from == to) {
    expect({{"bias", bias(published_table(), trained)}});
    return;
  }
  const Terms terms =
      read_at(published_table(), larger, trained, [&](const Tensor& offset, size_t axis) {
        return offset * static_cast<double>(2 * from[axis] - 1) /
               static_cast<double>(2 * to[axis] - 1);
      });
  // Its places are float64 and ours float32.
  expect({{"bias", score_of_pairs(terms, larger)}}, {1e-6, 1e-6});
}

// Quirk 14: the package mixes up the sides of a table that is not square.
std::vector<CaseId> square_tables() {
  auto all = cases("image_hf", "beit_bias/table3x3");
  return all;
}
RELBIAS_GOLDEN_TESTS(BeitTable, square_tables());

class GeometricTable : public ResizedTable {
 protected:
  // Quirk 16: the old offsets 0 1 2 .. stand at 0, 1, 1 + q, 1 + q + q^2 .. of the new ones, q such
  // that the last stands at the last, but no more than 1.5.
  static std::vector<double> places_of_old(int64_t old_reach, int64_t new_reach) {
    double low = 1.01, high = 1.5, q = 0;
    while (high - low > 1e-6) {
      q = (low + high) / 2;
      const double last = (1 - std::pow(q, old_reach)) / (1 - q);
      (last > static_cast<double>(new_reach) ? high : low) = q;
    }
    std::vector<double> places{0};
    for (int64_t step = 0; step < old_reach; ++step)
      places.push_back(places.back() + std::pow(q, step));
    return places;
  }

  // The old offset, in parts, that stands at a new one.
  static double old_offset(double at, const std::vector<double>& places) {
    const double distance = std::abs(at);
    size_t below = 0;
    while (below + 2 < places.size() && places[below + 1] <= distance) ++below;
    const double share = (distance - places[below]) / (places[below + 1] - places[below]);
    return std::copysign(static_cast<double>(below) + std::min(share, 1.0), at);
  }
};

TEST_P(GeometricTable, EqualsThePackage) {
  const auto from = window("old"), to = window("new");
  const RelationMap larger = grid_with(to, 0);
  const Terms terms = read_at(golden.read("in/table").t(), larger, grid_with(from, 0),
                              [&](const Tensor& offset, size_t axis) {
                                const auto places = places_of_old(from[axis] - 1, to[axis] - 1);
                                Tensor old = offset.clone();
                                for (int64_t row = 0; row < old.size(0); ++row) {
                                  old[row] = old_offset(offset[row].item<double>(), places);
                                }
                                return old;
                              });
  expect_close("table", terms.score.t(), golden.read("out/table"), 2e-6);  // float32 there
}
RELBIAS_GOLDEN_TESTS(GeometricTable, cases("image_timm", "resize_table/"));

class BeitAttention : public TableTest {};

TEST_P(BeitAttention, EqualsThePackage) {
  const int64_t heads = golden.integer("num_heads");
  const Tensor x = golden.in("x");
  const RelationMap map = grid_with(window(), 1);
  const auto encoding = make("table", {.heads = heads, .head_width = x.size(2) / heads}, map);
  set(*encoding, "table", published_table());
  const Tensor no_bias = golden.read("w/k_bias");  // of the keys: all zero
  const Tensor bias = at::cat({golden.w("q_bias"), no_bias, golden.w("v_bias")});
  const auto qkv = at::linear(x, golden.w("qkv.weight"), bias).chunk(3, 2);
  const auto result =
      attended(split_heads(qkv[0], heads), split_heads(qkv[1], heads), split_heads(qkv[2], heads),
               {{map, encoding->terms(map)}}, {.return_weights = true});
  expect({{"out",
           at::linear(join_heads(result.out), golden.w("proj.weight"), golden.w("proj.bias"))}});
}
RELBIAS_GOLDEN_TESTS(BeitAttention, cases("image_timm", "beit_attention/"));

}  // namespace
}  // namespace relbias::golden
