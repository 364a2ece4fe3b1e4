// SPDX-License-Identifier: Apache-2.0
// encodings/biases: `clipped`, one learned scalar for every offset up to a clip.
#include <ATen/ATen.h>

#include "encodings/encoding.h"
#include "encodings/shared/axis_tables.h"

namespace relbias::encodings {
namespace {

/// b_h[r] = sum over axes of table_h[clamp(offset, -k, k)], rows in the order -k..k; where the
/// relation has only a distance, rows 0..k are used and the others idle.
///
/// k = 1, 3 tokens, rows:   1 2 2
///                          0 1 2
///                          0 0 1
class Clipped final : public Encoding {
 public:
  Clipped(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial), clip_(options.integer("max_distance")) {
    table_ = learned_table("table", {signed_axis_count(context.relation), 2 * clip_ + 1});
    learn_special_ids();
  }

 protected:
  Terms compute_terms(const RelationMap& relation) override {
    const Tensor rows = signed_axes(relation).round().clamp(-clip_, clip_).to(at::kLong) + clip_;
    Terms terms;
    terms.score = sum_over_axes(table_, rows);
    if (rows.size(1) == 1) {
      terms.table_rows = rows.select(1, 0);
      terms.table_size = 2 * clip_ + 1;
    }
    return terms;
  }

 private:
  int64_t clip_;
  Tensor table_;  // [1|H, A, 2k+1]
};

}  // namespace

EncodingEntry encoding_clipped() {
  return {
      .formula =
          "b_h[r] = table_h[clamp(j - i, -k, k)], k = max_distance, rows in the order -k..k; "
          "summed over the axes of a grid",
      .source = "the scalar form of Shaw, Uszkoreit, Vaswani 2018, eq. 3",
      .initial = "N(0, init_std^2)",
      .need = Need::distance,
      .past_range = {PastRange::extend, PastRange::clamp, PastRange::interpolate},
      .init_std = 0.02,
      .per_head = true,
      .options =
          {{"max_distance", int64_t{16}, "offsets beyond it share the last row", {}, 1, 1e6}},
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Clipped>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
