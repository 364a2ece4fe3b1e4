// SPDX-License-Identifier: Apache-2.0
// tests: attention with every position term as nested loops over the formula of terms.h.
#include "tests/encodings/attention/loops.h"

#include <ATen/ATen.h>

#include <cmath>

namespace relbias::encodings {
namespace {

double at4(const at::Tensor& x, int64_t a, int64_t b, int64_t c, int64_t d) {
  return x[a][b][c][d].item<double>();
}

// Which relation id a pair has, from the definition of each index class.
int64_t id_of(const RelationMap& relation, int64_t b, int64_t i, int64_t j) {
  if (relation.index_class == IndexClass::line) return j - i + relation.queries - 1;
  if (relation.index_class == IndexClass::grid) return relation.index[i][j].item<int64_t>();
  return relation.index[relation.index.size(0) == 1 ? 0 : b][i][j].item<int64_t>();
}

struct Pair {
  int64_t b, h, i, j;
};

int64_t table_row(const Position& position, const Pair& at) {
  const int64_t id = id_of(position.relation, at.b, at.i, at.j);
  const auto& rows = position.terms.table_rows;
  return rows.defined() ? rows[id].item<int64_t>() : id;
}

double bias(const at::Tensor& bias, int64_t h, int64_t d) {
  return bias.defined() ? bias[h][d].item<double>() : 0.0;
}

double score(const at::Tensor& q, const at::Tensor& k, const std::vector<Position>& positions,
             double scale, const Pair& at) {
  double inside = 0, outside = 0;
  for (int64_t d = 0; d < q.size(3); ++d) {
    const double qd = at4(q, at.b, at.h, at.i, d), kd = at4(k, at.b, at.h, at.j, d);
    double content = qd;
    for (const auto& position : positions) content += bias(position.terms.content_bias, at.h, d);
    inside += content * kd;
    for (const auto& position : positions) {
      const Terms& terms = position.terms;
      const int64_t row = table_row(position, at);
      if (terms.key.defined()) {
        inside +=
            (qd + bias(terms.position_bias, at.h, d)) * terms.key[at.h][row][d].item<double>();
      }
      if (terms.query.defined()) inside += kd * terms.query[at.h][row][d].item<double>();
    }
  }
  for (const auto& position : positions) {
    const int64_t id = id_of(position.relation, at.b, at.i, at.j);
    if (position.terms.score.defined()) {
      outside += position.terms.score[at.h][id].item<double>();
    }
  }
  return scale * inside + outside;
}

bool may_attend(const AttentionOptions& options, const Pair& at, int64_t queries, int64_t keys) {
  if (options.causal && at.j > at.i + keys - queries) return false;
  if (!options.mask.defined()) return true;
  const auto& mask = options.mask;
  return mask[mask.size(0) == 1 ? 0 : at.b][mask.size(1) == 1 ? 0 : at.h][at.i][at.j].item<bool>();
}

}  // namespace

at::Tensor loops_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const std::vector<Position>& positions,
                           const AttentionOptions& options) {
  const int64_t queries = q.size(2), keys = k.size(2), value_width = v.size(3);
  const double scale = options.scale.value_or(1.0 / std::sqrt(static_cast<double>(q.size(3))));
  at::Tensor out = at::zeros({q.size(0), q.size(1), queries, value_width}, at::kDouble);
  for (int64_t b = 0; b < q.size(0); ++b) {
    for (int64_t h = 0; h < q.size(1); ++h) {
      for (int64_t i = 0; i < queries; ++i) {
        std::vector<double> exponentials(static_cast<size_t>(keys), 0.0);
        int64_t count = 0;
        for (int64_t j = 0; j < keys; ++j)
          count += may_attend(options, {b, h, i, j}, queries, keys);
        double factor = 1;
        if (options.length_scale_keys) {
          factor = std::log(static_cast<double>(std::max<int64_t>(count, 1))) /
                   std::log(static_cast<double>(*options.length_scale_keys));
        }
        double total = 0;
        for (int64_t j = 0; j < keys; ++j) {
          const Pair pair{b, h, i, j};
          if (!may_attend(options, pair, queries, keys)) continue;
          total += exponentials[static_cast<size_t>(j)] =
              std::exp(factor * score(q, k, positions, scale, pair));
        }
        for (int64_t j = 0; j < keys && count > 0; ++j) {
          const double weight = exponentials[static_cast<size_t>(j)] / total;
          if (weight == 0) continue;
          for (int64_t d = 0; d < value_width; ++d) {
            double value = at4(v, b, h, j, d);
            for (const auto& position : positions) {
              if (!position.terms.value.defined()) continue;
              value += position.terms.value[h][table_row(position, {b, h, i, j})][d].item<double>();
            }
            out[b][h][i][d] += weight * value;
          }
        }
      }
    }
  }
  return out;
}

}  // namespace relbias::encodings
