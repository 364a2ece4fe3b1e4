// SPDX-License-Identifier: Apache-2.0
// encodings/vectors: `irpe`, image relative position encoding with piecewise buckets.
#include <ATen/ATen.h>

#include <cmath>

#include "encodings/encoding.h"
#include "encodings/shared/axis_tables.h"

namespace relbias::encodings {
namespace {

// 1.9 * (1, 2, 8), the constants of the released models.
constexpr double kExact = 1.9, kLargest = 3.8, kFar = 15.2;
constexpr int64_t kBuckets = 3;  // int(3.8): buckets -3..3 an axis

// g(x) = round(x) for |x| <= a, else sign(x) min(b, round(a + (b - a) ln(|x|/a) / ln(c/a))), cut to
// a whole number. 0 1 2 3 4 15 -> 0 1 2 2 3 3.
Tensor piecewise(const Tensor& x) {
  const Tensor size = x.abs().to(at::kDouble);
  const Tensor far =
      ((size.clamp_min(kExact) / kExact).log() * ((kLargest - kExact) / std::log(kFar / kExact)) +
       kExact)
          .round()
          .clamp_max(kLargest);
  return (at::where(size <= kExact, size.round(), far).trunc() * x.sign()).to(at::kLong);
}

/// Buckets of the offset (key - query), by method:
///
///     euclidean      g(round(sqrt(dy^2 + dx^2)))       undirected
///     quantization   g(dy^2 + dx^2)                    undirected
///     cross          g(dy) and g(dx), two tables added
///     product        (g(dy), g(dx)), one table of all pairs
///
/// mode=bias: a scalar b[bucket]; mode=contextual: a vector against the content, `on` k (key table
/// A, met by the queries), q (query table P, met by the keys) and v (value table V). On a line
/// cross and product are the same. The released code shares contextual tables between heads
/// (per_head=false). To load released weights: their rows for `on` k stand in the other order
/// (query
/// - key), the undirected methods keep 7 rows of which 4 are used (ours 0..3), and the class token
/// has a vector of its own there, a scalar here.
///
/// product on 1x3: rows 3 4 5 / 2 3 4 / 1 2 3 of 7.
class Irpe final : public Encoding {
 public:
  Irpe(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial), method_(options.word("method")) {
    tables_ = method_ == "cross" ? context.relation.axes : 1;
    side_ = undirected() ? kBuckets + 1 : 2 * kBuckets + 1;
    size_ = side_;
    for (int64_t axis = 1; method_ == "product" && axis < context.relation.axes; ++axis)
      size_ *= side_;
    learn_special_ids();
    if (options.word("mode") == "bias") {
      bias_ = learned_table("bias", {tables_, size_});
      return;
    }
    const auto contextual = [&](char on, const char* name) -> Tensor {
      if (options.word("on").find(on) == std::string::npos) return {};
      return learned_table(name, {tables_, size_, context.head_width});
    };
    on_q_ = contextual('q', "on_q");
    on_k_ = contextual('k', "on_k");
    on_v_ = contextual('v', "on_v");
  }

 protected:
  Terms compute_terms(const RelationMap& relation) override {
    const Tensor bucket = buckets(relation);  // [R, tables]
    Terms terms;
    if (tables_ == 1) {
      terms.table_rows = bucket.select(1, 0);
      terms.table_size = size_;
    }
    if (bias_.defined()) terms.score = folded(bias_, bucket);
    terms.query = compact(on_q_, bucket);
    terms.key = compact(on_k_, bucket);
    terms.value = compact(on_v_, bucket);
    return terms;
  }

 private:
  bool undirected() const { return method_ == "euclidean" || method_ == "quantization"; }

  Tensor buckets(const RelationMap& relation) const {
    if (undirected()) {
      Tensor distance = relation.distance;
      if (relation.offsets.defined()) distance = relation.offsets.norm(2, 1);
      const Tensor squared = distance * distance;
      return piecewise(method_ == "euclidean" ? distance.round() : squared.round()).unsqueeze(1);
    }
    const Tensor axes = piecewise(relation.offsets) + kBuckets;  // [R, A]
    if (method_ == "cross") return axes;
    Tensor product = axes.select(1, 0);
    for (int64_t axis = 1; axis < axes.size(1); ++axis)
      product = product * side_ + axes.select(1, axis);
    return product.unsqueeze(1);
  }

  // [1|H, R(, D)]
  Tensor folded(const Tensor& table, const Tensor& bucket) const {
    return sum_over_axes(table, bucket);
  }

  // One table stays as it is, for table_rows to index; several are folded over the relation's ids.
  Tensor compact(const Tensor& table, const Tensor& bucket) const {
    if (!table.defined()) return table;
    return tables_ == 1 ? table.select(1, 0) : folded(table, bucket);
  }

  std::string method_;
  int64_t tables_, side_, size_;
  Tensor bias_;                // [1|H, tables, T]
  Tensor on_q_, on_k_, on_v_;  // [1|H, tables, T, D]
};

std::optional<std::string> needs_direction(const Options& options, const EncodingContext& context) {
  if (options.word("mode") == "bias" && options.word("on") != "k") {
    return fmt::format("on={} found with mode=bias, which has no vectors: mode=contextual expected",
                       options.word("on"));
  }
  const std::string& method = options.word("method");
  if (context.relation.axes == 0 && (method == "cross" || method == "product")) {
    return fmt::format(
        "method={} needs signed offsets; euclidean and quantization need a distance only", method);
  }
  return std::nullopt;
}

}  // namespace

EncodingEntry encoding_irpe() {
  return {
      .formula =
          "bias: b[g]; contextual: q_i.A[g] (on k), k_j.P[g] (on q), v_j + V[g] (on v); g(x) = x "
          "for |x| <= a, else sign(x) min(b, round(a + (b-a) ln(|x|/a)/ln(c/a))), a, b, c = 1.9 "
          "(1, 2, 8)",
      .source =
          "Wu et al. 2021, Rethinking and Improving Relative Position Encoding for Vision "
          "Transformer, eq. 14 to 24",
      .initial = "N(0, init_std^2)",
      .need = Need::distance,
      .past_range = {PastRange::extend, PastRange::clamp, PastRange::interpolate},
      .init_std = 0.02,
      .per_head = false,
      .options = {{"method",
                   "product",
                   "how an offset becomes a bucket",
                   {"euclidean", "quantization", "cross", "product"}},
                  {"mode", "contextual", "a scalar or a vector a bucket", {"bias", "contextual"}},
                  {"on",
                   "k",
                   "contextual: what meets the vectors",
                   {"q", "k", "v", "qk", "qv", "kv", "qkv"}}},
      .undefined = needs_direction,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Irpe>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
