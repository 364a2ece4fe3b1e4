// SPDX-License-Identifier: Apache-2.0
// encodings/vectors: `shaw`, learned vectors for clipped offsets, added to keys and values.
#include <ATen/ATen.h>

#include "encodings/encoding.h"
#include "encodings/shared/axis_tables.h"

namespace relbias::encodings {
namespace {

/// A[clamp(j - i, -k, k)] is added to the keys and, with `values=true`, V[...] to the values; rows
/// in the order -k..k. The paper shares both tables between heads: `per_head=false` is the default.
///
/// k = 1, 3 tokens, rows:   1 2 2
///                          0 1 2
///                          0 0 1
class Shaw final : public Encoding {
 public:
  Shaw(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial), clip_(options.integer("max_distance")) {
    const std::vector<int64_t> shape{signed_axis_count(context.relation), 2 * clip_ + 1,
                                     context.head_width};
    keys_ = learned_table("keys", shape);
    if (options.flag("values")) values_ = learned_table("values", shape);
    learn_special_ids();
  }

 protected:
  Terms compute_terms(const RelationMap& relation) override {
    const Tensor rows = signed_axes(relation).round().clamp(-clip_, clip_).to(at::kLong) + clip_;
    Terms terms;
    if (rows.size(1) > 1) {
      terms.key = sum_over_axes(keys_, rows);
      if (values_.defined()) terms.value = sum_over_axes(values_, rows);
      return terms;
    }
    terms.key = keys_.select(1, 0);
    if (values_.defined()) terms.value = values_.select(1, 0);
    terms.table_rows = rows.select(1, 0);
    terms.table_size = 2 * clip_ + 1;
    return terms;
  }

 private:
  int64_t clip_;
  Tensor keys_;    // [1|H, A, 2k+1, D]
  Tensor values_;  // [1|H, A, 2k+1, D], undefined: keys only
};

}  // namespace

EncodingEntry encoding_shaw() {
  return {
      .formula =
          "score(i,j) = scale * (q_i.k_j + q_i.A[c]), out_i = sum_j softmax(score) (v_j + V[c]), "
          "c = clamp(j - i, -k, k), k = max_distance; A and V summed over the axes of a grid",
      .source = "Shaw, Uszkoreit, Vaswani 2018, eq. 3 and 4",
      .initial = "N(0, init_std^2)",
      .need = Need::distance,
      .past_range = {PastRange::extend, PastRange::clamp, PastRange::interpolate},
      .init_std = 0.02,
      .per_head = false,
      .options = {{"max_distance", int64_t{16}, "offsets beyond it share the last row", {}, 1, 1e6},
                  {"values", true, "also add a table to the values"}},
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Shaw>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
