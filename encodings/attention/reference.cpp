// SPDX-License-Identifier: Apache-2.0
// encodings/attention: attention in plain ATen operations, the specification of every kernel.
#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "encodings/attention/backend.h"
#include "encodings/attention/mask.h"
#include "encodings/attention/rotate.h"

namespace relbias::encodings {
namespace {

// Low-precision inputs are computed in float32: a bfloat16 score of 256 has steps of 2.
at::ScalarType compute_type(const Tensor& tensor) {
  return at::promote_types(tensor.scalar_type(), at::kFloat);
}

// b[h, r(i,j)], [1|B, H, Q, K].
Tensor score_of_pairs(const Tensor& score,  // [H, R]
                      const RelationMap& relation) {
  if (relation.index_class == IndexClass::line) {
    // Row i reads the entries Q-1-i .. Q-1-i+K-1 of its head: windows that move down by one a row.
    return score.unfold(1, relation.keys, 1).flip(1).unsqueeze(0);
  }
  return at::embedding(score.t(), relation.pair_rows()).permute({0, 3, 1, 2});
}

// The row of the A, P and V tables that each pair uses, [1|B, 1, Q, K].
Tensor table_index(const Position& position) {
  Tensor rows = position.relation.pair_rows();
  if (position.terms.table_rows.defined()) rows = position.terms.table_rows.take(rows);
  return rows.unsqueeze(1);
}

// x[b,h,i, index(i,j)] for x [B, H, Q, T]: what a query has with the table row of each pair.
Tensor pick(const Tensor& x, const Tensor& index) {
  return x.gather(3, index.expand({x.size(0), x.size(1), -1, -1}));
}

struct Operands {
  Tensor q, k;  // scaled query, key
  double scale;
};

// scale * (q_i + v_h).A_h[r]
Tensor key_term(const Operands& x, const Position& position, const Tensor& index) {
  const Terms& terms = position.terms;
  Tensor q = x.q;
  if (terms.position_bias.defined()) q = q + terms.position_bias.unsqueeze(1) * x.scale;
  return pick(at::matmul(q, terms.key.to(q.scalar_type()).transpose(1, 2)), index);
}

// scale * k_j.P_h[r]: the mirror image, picked along the queries.
Tensor query_term(const Operands& x, const Position& position, const Tensor& index) {
  const Tensor table = position.terms.query.to(x.k.scalar_type()).transpose(1, 2);
  return pick(at::matmul(x.k * x.scale, table), index.transpose(2, 3)).transpose(2, 3);
}

// sum_j w(i,j) V_h[r(i,j)]: the weights are summed by table row first.
Tensor value_term(const Tensor& weights, const Position& position, const Tensor& index) {
  const Tensor table = position.terms.value.to(weights.scalar_type());
  std::vector<int64_t> shape = weights.sizes().vec();
  shape[3] = table.size(1);
  const Tensor by_row =
      at::zeros(shape, weights.options()).scatter_add(3, index.expand(weights.sizes()), weights);
  return at::matmul(by_row, table);
}

// ln(keys the row may attend) / ln(trained keys), [1|B, 1|H, Q, 1]. A row of one key has one weight
// whatever its score, a row of none has no weight.
Tensor length_factor(const Tensor& allowed, const Tensor& k, int64_t trained_keys) {
  const auto options = k.options().requires_grad(false);
  const Tensor keys = allowed.defined()
                          ? allowed.sum(-1, /*keepdim=*/true).to(options.dtype()).clamp_min(1)
                          : at::full({1, 1, 1, 1}, static_cast<double>(k.size(2)), options);
  return keys.log() / std::log(static_cast<double>(trained_keys));
}

// Everything outside the scale: b, dense terms; then the mask as -inf. Undefined: nothing to add.
Tensor added_scores(const Tensor& q, const Tensor& k, const std::vector<Position>& positions,
                    const Tensor& allowed) {
  Tensor sum;
  const auto add = [&](const Tensor& term) {
    const Tensor typed = term.to(q.scalar_type());
    sum = sum.defined() ? sum + typed : typed;
  };
  for (const auto& [relation, terms] : positions) {
    if (terms.score.defined()) add(score_of_pairs(terms.score, relation));
    if (terms.dense) add(terms.dense(q, k, allowed));
  }
  return sum;
}

// Whether some row may have no key, so that its softmax needs care.
bool may_have_empty_rows(const Tensor& q, const Tensor& k, const AttentionOptions& options) {
  return leaves_out_tokens(options) || k.size(2) == 0 || (options.causal && q.size(2) > k.size(2));
}

// Zeros where nothing may attend, so that padding of any content meets no product: 0 * NaN is NaN.
Tensor without_unused(const Tensor& x, const Tensor& used) {
  return x.masked_fill(used.bitwise_not().unsqueeze(-1), 0.0);
}

}  // namespace

double attention_scale(int64_t head_width, const std::vector<Position>& positions,
                       const AttentionOptions& options) {
  int64_t terms = 1;
  double factor = 1;
  for (const auto& position : positions) {
    terms += position.terms.scale_terms;
    factor *= position.terms.scale_factor;
  }
  if (options.scale) return *options.scale * factor;
  return factor / std::sqrt(static_cast<double>(head_width * terms));
}

Tensor attention_scores(const Tensor& query, const Tensor& key,
                        const std::vector<Position>& positions, const AttentionOptions& options,
                        const Tensor& allowed) {
  Tensor q = query.to(compute_type(query)), k = key.to(compute_type(key));
  const Tensor added = added_scores(q, k, positions, allowed);
  const double scale = attention_scale(q.size(3), positions, options);
  for (const auto& position : positions) {
    if (position.terms.rotation) rotate(*position.terms.rotation, q, k);
  }
  const Operands operands{q * scale, k, scale};
  Tensor content = operands.q;
  for (const auto& position : positions) {
    const Tensor& u = position.terms.content_bias;
    if (u.defined()) content = content + u.unsqueeze(1) * scale;
  }
  Tensor scores = at::matmul(content, k.transpose(2, 3));
  for (const auto& position : positions) {
    const Terms& terms = position.terms;
    if (!terms.key.defined() && !terms.query.defined()) continue;
    const Tensor index = table_index(position);
    if (terms.key.defined()) scores = scores + key_term(operands, position, index);
    if (terms.query.defined()) scores = scores + query_term(operands, position, index);
  }
  if (added.defined()) scores = scores + added;
  if (options.length_scale_keys) {
    scores = scores * length_factor(allowed, k, *options.length_scale_keys);
  }
  return scores;
}

AttentionResult reference_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const std::vector<Position>& positions,
                                    const AttentionOptions& options) {
  Tensor q = query, k = key, v = value.to(compute_type(value));
  const Tensor allowed = allowed_pairs(q.size(2), k.size(2), options, q.device());
  if (leaves_out_tokens(options)) {
    q = without_unused(q, allowed.any(3));
    k = without_unused(k, allowed.any(2));
    v = without_unused(v, allowed.any(2));
  }
  Tensor scores = attention_scores(q, k, positions, options, allowed);
  if (allowed.defined()) {
    scores = scores.masked_fill(allowed.bitwise_not(), -std::numeric_limits<double>::infinity());
  }
  AttentionResult result;
  Tensor weights =
      may_have_empty_rows(q, k, options) ? at::_safe_softmax(scores, -1) : at::softmax(scores, -1);
  if (options.return_weights) result.weights = weights;
  if (options.dropout > 0) weights = at::dropout(weights, options.dropout, /*train=*/true);
  Tensor out = at::matmul(weights, v);
  for (const auto& position : positions) {
    if (!position.terms.value.defined()) continue;
    out = out + value_term(weights, position, table_index(position));
  }
  result.out = out.to(value.scalar_type());
  return result;
}

}  // namespace relbias::encodings
