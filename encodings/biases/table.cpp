// SPDX-License-Identifier: Apache-2.0
// encodings/biases: `table`, one learned scalar for every id of a relation.
#include <ATen/ATen.h>

#include "encodings/encoding.h"
#include "encodings/shared/axis_interpolation.h"

namespace relbias::encodings {
namespace {

/// b_h[r] = table_h[r], the rows in the order of the relation's ids. Where positions have sides
/// (line, grid) the table holds the offsets of the trained size: larger sizes clamp their offsets
/// or read the table at fractional offsets, bicubic (PyTorch's kernel, a = -0.75) or linear, ends
/// aligned. Class token rows have no offset and are read as they are. A relation with a fixed set
/// of ids (hops, tree) has no larger size.
///
/// Line, trained on 2 tokens, table 10 20 30, read for 3 tokens: clamp 10 10 20 30 30, interpolate
/// 10 14.0625 20 25.9375 30 (linear: 10 15 20 25 30).
class Table final : public Encoding {
 public:
  Table(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial) {
    table_ = learned_table("table", {context.trained.rows});
  }

 protected:
  Terms compute_terms(const RelationMap& relation) override {
    Terms terms;
    if (by_offset() && is_fractional(relation)) {
      terms.score = keep_special(interpolated(relation.offsets), relation);
      return terms;
    }
    terms.table_rows =
        by_offset() ? rows_of_offsets(relation) : at::arange(relation.rows, table_.device());
    terms.table_size = table_.size(1);
    terms.score = table_.index_select(1, terms.table_rows);
    return terms;
  }

 private:
  // Sides, not ids, tell positions apart: the id of an offset changes with the size.
  bool by_offset() const {
    return !context_.trained.sides.empty() && context_.trained.offsets.defined();
  }

  bool is_fractional(const RelationMap& relation) const {
    return options_.word("past_range") == "interpolate" && relation.sides != context_.trained.sides;
  }

  int64_t ordinary_rows() const {
    int64_t rows = 1;
    for (const int64_t side : context_.trained.sides) rows *= 2 * side - 1;
    return rows;
  }

  // The trained id of every offset: found by matching rows of the trained map, so that it follows
  // whatever order and sign the relation gives its ids.
  Tensor rows_of_offsets(const RelationMap& relation) const {
    const Tensor ordinary = context_.trained.offsets.narrow(0, 0, ordinary_rows());
    const Tensor id_at =
        at::empty({ordinary_rows()}, at::kLong)
            .index_put_({place(ordinary.to(at::kLong))}, at::arange(ordinary_rows()));
    Tensor rows =
        id_at.to(relation.offsets.device()).take(place(relation.offsets.round().to(at::kLong)));
    if (!relation.special.defined()) return rows;
    return at::where(relation.special >= 0, relation.special + ordinary_rows(), rows);
  }

  // Raster number of an offset within the trained range, [R].
  Tensor place(const Tensor& offsets) const {  // [R, A] int64
    Tensor place = at::zeros({offsets.size(0)}, offsets.options());
    for (int64_t axis = 0; axis < offsets.size(1); ++axis) {
      const int64_t side = context_.trained.sides[static_cast<size_t>(axis)];
      place = place * (2 * side - 1) + offsets.select(1, axis).clamp(1 - side, side - 1) + side - 1;
    }
    return place;
  }

  Tensor interpolated(const Tensor& offsets) const {  // [R, A] -> [1|H, R]
    const auto& sides = context_.trained.sides;
    const bool cubic = options_.word("kernel") == "bicubic";
    if (sides.size() > 2) return over_axes(offsets, cubic);
    const int64_t height = sides.size() == 2 ? 2 * sides[0] - 1 : 1, width = 2 * sides.back() - 1;
    const Tensor image = in_raster_order().view({1, -1, height, width});
    // grid_sample wants (x, y) in -1..1 from the first to the last cell.
    const auto unit = [&](int64_t axis) {
      const auto reach =
          static_cast<double>(std::max<int64_t>(sides[static_cast<size_t>(axis)] - 1, 1));
      return offsets.select(1, axis).to(table_.scalar_type()) / reach;
    };
    const int64_t last = offsets.size(1) - 1;
    const Tensor x = unit(last), y = last == 1 ? unit(0) : at::zeros_like(x);
    const Tensor grid = at::stack({x, y}, 1).view({1, 1, -1, 2});
    constexpr int64_t bilinear = 0, bicubic = 2, border = 1;
    const int64_t mode = cubic ? bicubic : bilinear;
    return at::grid_sampler_2d(image, grid, mode, border, /*align_corners=*/true)
        .view({-1, offsets.size(0)});
  }

  // The table in the order of offsets, whatever the order of the ids, [1|H, cells].
  Tensor in_raster_order() const {
    const Tensor ordinary = context_.trained.offsets.narrow(0, 0, ordinary_rows()).to(at::kLong);
    const Tensor order = place(ordinary).argsort().to(table_.device());
    return table_.narrow(1, 0, ordinary_rows()).index_select(1, order);
  }

  Tensor over_axes(const Tensor& offsets, bool cubic) const {
    std::vector<int64_t> cells;
    std::vector<Tensor> places;
    for (size_t axis = 0; axis < context_.trained.sides.size(); ++axis) {
      const int64_t side = context_.trained.sides[axis];
      cells.push_back(2 * side - 1);
      places.push_back(offsets.select(1, static_cast<int64_t>(axis)) + (side - 1));
    }
    return interpolated_over_axes(in_raster_order(), cells, at::stack(places, 1), cubic);
  }

  Tensor keep_special(const Tensor& score, const RelationMap& relation) const {
    if (!relation.special.defined()) return score;
    const Tensor rows = (relation.special + ordinary_rows()).clamp(0, table_.size(1) - 1);
    return at::where(relation.special >= 0, table_.index_select(1, rows), score);
  }

  Tensor table_;  // [1|H, T]
};

std::optional<std::string> unread_kernel(const Options& options, const EncodingContext&) {
  if (!differs(options, "kernel") || options.word("past_range") == "interpolate") {
    return std::nullopt;
  }
  return fmt::format(
      "kernel={} found with past_range={}, which does not read it; "
      "past_range=interpolate expected",
      options.word("kernel"), options.word("past_range"));
}

}  // namespace

EncodingEntry encoding_table() {
  return {
      .formula = "b_h[r] = table_h[r]",
      .source =
          "Liu et al. 2021, Swin Transformer, eq. 4; Bao et al. 2022, BEiT; Ying et al. 2021, "
          "Graphormer, eq. 6 (spatial encoding)",
      .initial = "N(0, init_std^2)",
      .need = Need::ids,
      .past_range = {PastRange::clamp, PastRange::interpolate, PastRange::undefined},
      .init_std = 0.02,
      .per_head = true,
      .options = {{"kernel", "bicubic", "of past_range=interpolate", {"bicubic", "linear"}}},
      .undefined = unread_kernel,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Table>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
