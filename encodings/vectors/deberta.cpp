// SPDX-License-Identifier: Apache-2.0
// encodings/vectors: `deberta`, disentangled attention between contents and relative positions.
#include <ATen/ATen.h>

#include <cmath>

#include "encodings/encoding.h"
#include "encodings/shared/log_buckets.h"

namespace relbias::encodings {
namespace {

/// With c = clamp(bucket(i - j) + S, 0, 2S - 1) and the learned embeddings E [2S, C],
///
///     c2p   q_i . K[c], K = Wk E          the key table A
///     p2c   k_j . Q[c], Q = Wq E          the query table P
///     p2p   Q[c] . K[c']                  a score table; c' is the row of j - i
///
/// all inside scale = 1/sqrt(D (1 + terms)). The index of p2c is that of the released code, query -
/// key as for c2p; the paper's formula has key - query. buckets=0: every offset up to max_distance
/// has a row, S = max_distance; else log buckets with the ceiling of the released code, S =
/// buckets.
///
/// S = 2, 4 tokens, c:   2 1 0 0 / 3 2 1 0 / 3 3 2 1 / 3 3 3 2.
class Deberta final : public Encoding {
 public:
  Deberta(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial) {
    const int64_t width = context.width;
    span_ = options.integer("buckets") > 0 ? options.integer("buckets")
                                           : options.integer("max_distance");
    if (options.integer("buckets") > 0) {
      const auto buckets = deberta_buckets(span_, options.integer("max_distance"));
      bucket_of_ = register_buffer("bucket_of", initial.placed(at::tensor(buckets, at::kLong)));
    }
    embedding_ = register_parameter(
        "embedding", initial.normal("embedding", {2 * span_, width}, options.real("init_std")));
    const double deviation = 1.0 / std::sqrt(static_cast<double>(width));
    const auto projection = [&](const std::string& name) {
      return register_parameter(name, initial.normal(name, {width, width}, deviation));
    };
    if (has("c2p") || has("p2p")) key_projection_ = projection("key_projection");
    if (has("p2c") || has("p2p")) query_projection_ = projection("query_projection");
  }

 protected:
  Terms compute_terms(const RelationMap& relation) override {
    const Tensor distance =
        relation.offsets.select(1, 0).neg().round().to(at::kLong);  // query - key
    Terms terms;
    terms.table_rows = rows(distance);
    terms.table_size = 2 * span_;
    terms.scale_terms = has("c2p") + has("p2c") + has("p2p");
    if (has("c2p")) terms.key = projected(key_projection_);
    if (has("p2c")) terms.query = projected(query_projection_);
    if (has("p2p")) {
      const Tensor query = projected(query_projection_).index_select(1, rows(distance));
      const Tensor key = projected(key_projection_).index_select(1, rows(-distance));
      const auto width = static_cast<double>(context_.head_width * (1 + terms.scale_terms));
      terms.score = (query * key).sum(-1) / std::sqrt(width);
    }
    return terms;
  }

 private:
  bool has(const char* term) const {
    return options_.word("terms").find(term) != std::string::npos;
  }

  Tensor projected(const Tensor& projection) const {  // [H, 2S, D]
    return at::linear(embedding_, projection)
        .unflatten(1, {context_.heads, context_.head_width})
        .transpose(0, 1);
  }

  Tensor rows(const Tensor& distance) const {  // [R] int64
    Tensor bucket = distance;
    if (bucket_of_.defined()) {
      bucket = bucket_of_.to(at::kLong).take(distance.abs().clamp_max(bucket_of_.size(0) - 1)) *
               distance.sign();
    }
    return (bucket + span_).clamp(0, 2 * span_ - 1);
  }

  int64_t span_;
  Tensor bucket_of_;                          // [max_distance + 1], undefined: no buckets
  Tensor embedding_;                          // [2S, C]
  Tensor key_projection_, query_projection_;  // [C, C]
};

std::optional<std::string> wrong_buckets(const Options& options, const EncodingContext& context) {
  const int64_t buckets = options.integer("buckets"), distance = options.integer("max_distance");
  if (context.relation.axes != 1) {
    return fmt::format("needs one signed axis, {} found", context.relation.axes);
  }
  if (buckets != 0 && (buckets < 4 || buckets % 2 != 0)) {
    return fmt::format("buckets {} found, 0 or an even number from 4 expected", buckets);
  }
  if (buckets != 0 && distance <= buckets / 2 + 1) {
    return fmt::format(
        "max_distance {} found, more than {} expected: half the buckets hold one "
        "distance each",
        distance, buckets / 2 + 1);
  }
  return std::nullopt;
}

}  // namespace

EncodingEntry encoding_deberta() {
  return {
      .formula =
          "score(i,j) = (q_i.k_j + q_i.K[c] + k_j.Q[c] (+ Q[c].K[c'])) / sqrt(D (1 + terms)), "
          "c = clamp(bucket(i-j) + S, 0, 2S-1)",
      .source =
          "He et al. 2021, DeBERTa, eq. 4; log buckets and p2c index as in the released code of "
          "version 2; p2p is the paper's fourth term, which the code leaves out",
      .initial = "embedding N(0, init_std^2), projections N(0, 1/C)",
      .need = Need::axes,
      .past_range = {PastRange::extend, PastRange::clamp, PastRange::interpolate},
      .init_std = 0.02,
      .options = {{"terms",
                   "c2p+p2c",
                   "which are added",
                   {"c2p+p2c", "c2p", "p2c", "c2p+p2c+p2p", "c2p+p2p", "p2c+p2p", "p2p"}},
                  {"buckets", int64_t{32}, "S with log buckets; 0: no buckets", {}, 0, 1e6},
                  {"max_distance",
                   int64_t{128},
                   "distances from here on share the last bucket",
                   {},
                   1,
                   1e7}},
      .undefined = wrong_buckets,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Deberta>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
