// SPDX-License-Identifier: Apache-2.0
// encodings/vectors: `cope`, positions counted by contextual gates.
#include <ATen/ATen.h>

#include <cmath>

#include "encodings/encoding.h"

namespace relbias::encodings {
namespace {

/// g(i,j) = sigmoid(q_i.k_j / sqrt(D)), 0 where masked; p(i,j) = sum of g(i,m) for m = j..i, at
/// most positions - 1; b(i,j) = q_i.e[p] / sqrt(D), e read between its rows linearly at fractional
/// p. The count runs from the key to the query, so it depends on content: dense, causal only. Both
/// products carry the scale that the content term has, as in public code; the paper writes them
/// without.
///
/// Gates 0.5 0.5 1 (row 2 of 3 tokens): positions 2 1.5 1.
class Cope final : public Encoding {
 public:
  Cope(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial) {
    table_ = learned_table("table", {options.integer("positions"), context.head_width});
  }

 protected:
  Terms compute_terms(const RelationMap&) override {
    Terms terms;
    terms.dense = [table = table_](const Tensor& q, const Tensor& k, const Tensor& mask) {
      const Tensor scaled = q / std::sqrt(static_cast<double>(q.size(3)));
      Tensor gates = at::matmul(scaled, k.transpose(2, 3)).sigmoid();
      if (mask.defined()) gates = gates.masked_fill(mask.logical_not(), 0.0);
      const auto last = static_cast<double>(table.size(1) - 1);
      const Tensor position = gates.flip(3).cumsum(3).flip(3).clamp_max(last);
      const Tensor by_row = at::matmul(scaled, table.to(q.scalar_type()).transpose(1, 2));
      const Tensor below = position.floor(), above = position.ceil();
      // Not a number, as in a model that diverges, is no index; the last line keeps it a score.
      const Tensor lost = position != position;
      const Tensor low = by_row.gather(3, below.masked_fill(lost, 0).to(at::kLong));
      const Tensor high = by_row.gather(3, above.masked_fill(lost, 0).to(at::kLong));
      return low + (position - below) * (high - low);
    };
    return terms;
  }

 private:
  Tensor table_;  // [1|H, positions, D]
};

std::optional<std::string> not_causal(const Options&, const EncodingContext& context) {
  if (!context.causal) return "counts from the key up to the query: needs a causal mask";
  if (context.relation.axes == 1 && context.relation.coordinates == 1) return std::nullopt;
  return "counts along a line: needs one coordinate a token";
}

}  // namespace

EncodingEntry encoding_cope() {
  return {
      .formula =
          "b(i,j) = q_i.e[p(i,j)] / sqrt(D), p(i,j) = min(sum_{m=j..i} sigmoid(q_i.k_m / "
          "sqrt(D)), positions - 1), e interpolated",
      .source = "Golovneva et al. 2024, Contextual Position Encoding, eq. 3 to 5",
      .initial = "N(0, init_std^2)",
      .need = Need::axes,
      .past_range = {PastRange::extend},
      .init_std = 0.02,
      .per_head = true,
      .options =
          {{"positions", int64_t{64}, "rows of e; counts beyond share the last", {}, 2, 1e6}},
      .undefined = not_causal,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Cope>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
