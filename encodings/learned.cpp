// SPDX-License-Identifier: Apache-2.0
// encodings: `learned`, one learned vector for every absolute position, added to the embeddings.
#include <ATen/ATen.h>

#include "encodings/encoding.h"

namespace relbias {
namespace {

// table[x] at fractional rows by linear interpolation; whole rows are read exactly.
Tensor rows_at(const Tensor& table,        // [T, ...]
               const Tensor& positions) {  // [..] float
  const Tensor below = positions.floor().clamp(0, static_cast<double>(table.size(0) - 1));
  const Tensor above = (below + 1).clamp_max(static_cast<double>(table.size(0) - 1));
  const Tensor share = (positions - below).unsqueeze(-1);
  const Tensor low = at::embedding(table, below.to(at::kLong));
  const Tensor high = at::embedding(table, above.to(at::kLong));
  return low + share * (high - low);
}

/// x_p += table[p]. There are no rows past the trained size: the result there is undefined unless
/// positions are interpolated onto the trained ones or clamped to the last.
///
/// 3 trained tokens, 5 tokens interpolated: rows 0 0.5 1 1.5 2.
class Learned final : public Encoding {
 public:
  Learned(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial) {
    table_ = register_parameter(
        "table", initial.normal("table", {context.trained.sides.at(0), context.width},
                                options.real("init_std")));
  }

 protected:
  Tensor compute_tokens(const Tensor&, const RelationMap& relation) override {
    return rows_at(table_, relation.key_coordinates.select(-1, 0));
  }

 private:
  Tensor table_;  // [N, C]
};

std::optional<std::string> not_a_line(const Options&, const EncodingContext& context) {
  if (context.trained.sides.size() == 1) return std::nullopt;
  return fmt::format("has rows for the positions of a line, {} axes of positions found",
                     context.trained.sides.size());
}

}  // namespace

EncodingEntry encoding_learned() {
  return {
      .formula = "x_p += table[p], p < trained size",
      .source = "Gehring et al. 2017; Devlin et al. 2019",
      .initial = "N(0, init_std^2)",
      .need = Need::coordinates,
      .on_tokens = true,
      .past_range = {PastRange::undefined, PastRange::interpolate, PastRange::clamp},
      .init_std = 0.02,
      .undefined = not_a_line,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Learned>(options, context, initial);
          },
  };
}

}  // namespace relbias
