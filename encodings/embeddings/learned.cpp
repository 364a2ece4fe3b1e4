// SPDX-License-Identifier: Apache-2.0
// encodings/embeddings: `learned`, one learned vector for every absolute position, added to the
// embeddings.
#include <ATen/ATen.h>

#include "encodings/encoding.h"
#include "encodings/shared/axis_interpolation.h"

namespace relbias::encodings {
namespace {

/// x_p += table[p], one row a position of a line or a cell of a grid; a class token has none. There
/// are no rows past the trained size: the result there is undefined unless positions are
/// interpolated onto the trained ones or clamped to the last.
///
/// 3 trained tokens, 5 tokens interpolated: rows 0 0.5 1 1.5 2. 2x2 cells trained, 4x4
/// interpolated: the first row of cells reads columns 0 0.25 0.75 1 of row 0.
class Learned final : public Encoding {
 public:
  Learned(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial) {
    int64_t rows = 1;
    for (const int64_t side : context.trained.sides) rows *= side;
    table_ = register_parameter(
        "table", initial.normal("table", {rows, context.width}, options.real("init_std")));
  }

 protected:
  Tensor compute_tokens(const Tensor&, const RelationMap& relation) override {
    const Tensor places = relation.key_coordinates;  // [B|1, K, A]
    return interpolated_over_axes(table_.t(), context_.trained.sides, places.flatten(0, 1),
                                  /*cubic=*/false)
        .t()
        .unflatten(0, {places.size(0), places.size(1)});
  }

 private:
  Tensor table_;  // [T, C], T the positions at the trained size
};

std::optional<std::string> no_places(const Options&, const EncodingContext& context) {
  if (!context.trained.sides.empty()) return std::nullopt;
  return "has rows for the positions of a line or a grid, 0 axes of positions found";
}

}  // namespace

EncodingEntry encoding_learned() {
  return {
      .formula = "x_p += table[p], p < trained size",
      .source = "Gehring et al. 2017; Devlin et al. 2019; Dosovitskiy et al. 2021 (grids)",
      .initial = "N(0, init_std^2)",
      .need = Need::coordinates,
      .on_tokens = true,
      .past_range = {PastRange::undefined, PastRange::interpolate, PastRange::clamp},
      .init_std = 0.02,
      .undefined = no_places,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Learned>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
