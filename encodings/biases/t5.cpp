// SPDX-License-Identifier: Apache-2.0
// encodings/biases: `t5`, one learned scalar for every logarithmic bucket of offsets.
#include <ATen/ATen.h>

#include "encodings/encoding.h"
#include "encodings/shared/axis_tables.h"
#include "encodings/shared/log_buckets.h"

namespace relbias::encodings {
namespace {

// Both halves, past and future, unless the future is masked or the relation has no direction.
bool two_sided(const Options& options, const EncodingContext& context) {
  if (context.relation.axes == 0) return false;
  if (options.word("bidirectional") == "auto") return !context.causal;
  return options.word("bidirectional") == "true";
}

std::optional<std::string> wrong_buckets(const Options& options, const EncodingContext& context) {
  if (context.relation.axes == 0 && differs(options, "bidirectional")) {
    return fmt::format("bidirectional={} found, but a distance has no direction",
                       options.word("bidirectional"));
  }
  const bool both = two_sided(options, context);
  const int64_t buckets = options.integer("num_buckets");
  const int64_t a_side = both ? buckets / 2 : buckets;
  if (both && buckets % 2 != 0) {
    return fmt::format("num_buckets {} found, an even number expected (past and future halves)",
                       buckets);
  }
  if (a_side < 2) {
    return fmt::format("num_buckets {} found, at least 4 expected: two a direction", buckets);
  }
  if (options.integer("max_distance") <= a_side / 2) {
    return fmt::format(
        "max_distance {} found, more than the {} distances with a bucket of their "
        "own expected",
        options.integer("max_distance"), a_side / 2);
  }
  return std::nullopt;
}

/// b_h[r] = sum over axes of table_h[bucket(offset)]. Two-sided: future keys use the upper half.
/// One-sided (causal): future keys fall in bucket 0, where a mask hides them; a relation with only
/// a distance has one side.
///
/// 8 buckets, max_distance 20, two-sided, 4 tokens (bucket 4 is never used):   0 5 6 6
///                                                                             1 0 5 6
///                                                                             2 1 0 5
///                                                                             2 2 1 0
class T5 final : public Encoding {
 public:
  T5(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial),
        buckets_(options.integer("num_buckets")),
        two_sided_(two_sided(options, context)) {
    const auto bucket_of =
        t5_buckets(two_sided_ ? buckets_ / 2 : buckets_, options.integer("max_distance"));
    bucket_of_ = register_buffer("bucket_of", initial.placed(at::tensor(bucket_of, at::kLong)));
    table_ = learned_table("table", {signed_axis_count(context.relation), buckets_});
    learn_special_ids();
  }

 protected:
  Terms compute_terms(const RelationMap& relation) override {
    const Tensor rows = bucket(signed_axes(relation).round().to(at::kLong));
    Terms terms;
    terms.score = sum_over_axes(table_, rows);
    if (rows.size(1) == 1) {
      terms.table_rows = rows.select(1, 0);
      terms.table_size = buckets_;
    }
    return terms;
  }

 private:
  Tensor bucket(const Tensor& offset) const {  // [R, A] int64
    const bool directed = context_.relation.axes > 0;
    Tensor distance = offset.abs();
    if (directed && !two_sided_) distance = offset.neg().clamp_min(0);
    const Tensor bucket = bucket_of_.to(at::kLong).take(distance.clamp_max(bucket_of_.size(0) - 1));
    return two_sided_ ? bucket + (offset > 0).to(at::kLong) * (buckets_ / 2) : bucket;
  }

  int64_t buckets_;
  bool two_sided_;
  Tensor bucket_of_;  // [max_distance + 1]
  Tensor table_;      // [1|H, A, num_buckets]
};

}  // namespace

EncodingEntry encoding_t5() {
  return {
      .formula =
          "b_h[r] = table_h[bucket(j - i)]; d < exact: bucket d, else exact + floor(log(d/exact) "
          "/ log(max_distance/exact) * (buckets - exact)), at most the last; exact = half the "
          "buckets of a direction; future keys in the upper half, or in bucket 0 if one-sided",
      .source =
          "Raffel et al. 2020, section 2.1 and released code (scale 1/sqrt(D) here; T5 itself "
          "uses none: scale=none in the model)",
      .initial = "N(0, init_std^2)",
      .need = Need::distance,
      .past_range = {PastRange::extend, PastRange::clamp, PastRange::interpolate},
      .init_std = 0.02,
      .per_head = true,
      .options =
          {{"num_buckets", int64_t{32}, "rows of the table, both directions together", {}, 2, 1e6},
           {"max_distance",
            int64_t{128},
            "distances from here on share the last bucket",
            {},
            1,
            1e7},
           {"bidirectional",
            "auto",
            "auto: two-sided unless the model is causal",
            {"auto", "true", "false"}}},
      .undefined = wrong_buckets,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<T5>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
