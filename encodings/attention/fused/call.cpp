// SPDX-License-Identifier: Apache-2.0
// encodings/attention/fused: from terms to what the kernel reads.
#include "encodings/attention/fused/call.h"

#include <algorithm>
#include <cmath>

#include "encodings/attention/rotate.h"

namespace relbias::encodings::fused {
namespace {

// The index in a type that the kernel reads: uint8, uint16 or int32, as narrow as it is.
Tensor narrow(const Tensor& index) {
  const auto type = index.scalar_type();
  const bool fits =
      type == at::kByte || type == at::kUInt16 || type == at::kShort || type == at::kInt;
  return (fits ? index : index.to(at::kInt)).contiguous();
}

PairIds ids_of(const Tensor& index, int64_t queries, int64_t keys) {
  const bool one = index.dim() == 2 || index.size(0) == 1;
  return {index, {index.const_data_ptr(), index.element_size(), one ? 0 : queries * keys, keys}};
}

PairIds pair_ids(const RelationMap& relation) {
  if (relation.index_class == IndexClass::line) return {};
  return ids_of(narrow(relation.index), relation.queries, relation.keys);
}

template <class Id, class Row>
void translate(const Tensor& ids, const int64_t* rows, Tensor& to) {
  const Id* from = static_cast<const Id*>(ids.const_data_ptr());
  Row* target = static_cast<Row*>(to.mutable_data_ptr());
  for (int64_t n = 0; n < ids.numel(); ++n) target[n] = static_cast<Row>(rows[from[n]]);
}

template <class Row>
Tensor translated(const Tensor& ids, const int64_t* rows, at::ScalarType type) {
  Tensor result = at::empty(ids.sizes(), type);
  switch (ids.element_size()) {
    case 1:
      translate<uint8_t, Row>(ids, rows, result);
      break;
    case 2:
      translate<uint16_t, Row>(ids, rows, result);
      break;
    default:
      translate<int32_t, Row>(ids, rows, result);
  }
  return result;
}

// The rows of compact tables that pairs use; a line of them is written once and walked backwards.
PairIds table_ids(const RelationMap& relation, const Terms& terms) {
  if (!terms.table_rows.defined()) return pair_ids(relation);
  const Tensor rows = terms.table_rows.contiguous();
  const bool narrow_rows = terms.table_size <= 256;
  if (relation.index_class == IndexClass::line) {
    const Tensor line = rows.to(narrow_rows ? at::kByte : at::kInt);
    const int64_t last = (relation.queries - 1) * line.element_size();
    return {line,
            {static_cast<const char*>(line.const_data_ptr()) + last, line.element_size(), 0, -1}};
  }
  const Tensor ids = narrow(relation.index);
  const auto* map = rows.const_data_ptr<int64_t>();
  return ids_of(narrow_rows ? translated<uint8_t>(ids, map, at::kByte)
                            : translated<int32_t>(ids, map, at::kInt),
                relation.queries, relation.keys);
}

// The stretch of keys that each sample has; nothing where a sample has holes.
std::vector<Span> spans_of(const Tensor& valid_keys, int64_t samples) {
  const Tensor valid = valid_keys.contiguous();
  const int64_t keys = valid.size(1);
  std::vector<Span> spans(static_cast<size_t>(samples));
  for (int64_t b = 0; b < samples; ++b) {
    const bool* const row = valid.const_data_ptr<bool>() + (valid.size(0) == 1 ? 0 : b * keys);
    const bool* const first = std::find(row, row + keys, true);
    const bool* const last = std::find(first, row + keys, false);
    if (std::find(last, row + keys, true) != row + keys) return {};
    spans[static_cast<size_t>(b)] = {first - row, last - row};
  }
  return spans;
}

// Whether a byte a pair or a key decides, so that any row may lack a key and any key a row.
bool is_scattered(const Plan& plan) {
  return plan.mask.defined() || plan.valid_keys.defined() || plan.groups.defined();
}

Plan masked_plan(const Tensor& q, const AttentionOptions& options) {
  Plan plan;
  plan.causal = options.causal;
  plan.window = options.window;
  if (options.mask.defined()) plan.mask = options.mask.contiguous();
  if (options.groups.defined()) plan.groups = options.groups.to(at::kInt).contiguous();
  if (options.valid_keys.defined()) {
    plan.samples = spans_of(options.valid_keys, q.size(0));
    if (plan.samples.empty()) plan.valid_keys = options.valid_keys.contiguous();
  }
  return plan;
}

Shape shape_of(const Tensor& q, const Tensor& k, const Tensor& v) {
  return {q.size(0), q.size(1), q.size(2), k.size(2), q.size(3), v.size(3)};
}

const uint8_t* bytes_of(const Tensor& mask) {
  return static_cast<const uint8_t*>(mask.const_data_ptr());
}

Allowed allowed_of(const Plan& plan) {
  Allowed allowed{.causal = plan.causal, .window = plan.window};
  if (!plan.samples.empty()) allowed.samples = plan.samples.data();
  if (plan.mask.defined()) {
    const Tensor& mask = plan.mask;
    allowed.pairs = {bytes_of(mask), mask.size(0) == 1 ? 0 : mask.stride(0),
                     mask.size(1) == 1 ? 0 : mask.stride(1), mask.stride(2)};
  }
  if (plan.valid_keys.defined()) {
    const Tensor& valid = plan.valid_keys;
    allowed.keys = {bytes_of(valid), valid.size(0) == 1 ? 0 : valid.stride(0), 0, 0};
  }
  if (plan.groups.defined()) allowed.groups = plan.groups.const_data_ptr<int32_t>();
  return allowed;
}

// Numbers of keys that rows may attend, [B|1, 1|H, Q].
Tensor counted_keys(const Plan& plan, const Shape& shape, const Tensor& allowed) {
  if (is_scattered(plan)) return allowed.sum(-1).to(at::kDouble);
  Forward call;
  call.shape = shape;
  call.allowed = allowed_of(plan);
  const int64_t samples = plan.samples.empty() ? 1 : shape.batch;
  Tensor counts = at::empty({samples, 1, shape.queries}, at::kDouble);
  auto* count = counts.mutable_data_ptr<double>();
  for (int64_t b = 0; b < samples; ++b) {
    for (int64_t i = 0; i < shape.queries; ++i) {
      const Span keys = keys_of(call, b, i);
      *count++ = static_cast<double>(keys.last - keys.first);
    }
  }
  return counts;
}

// ln(keys the row may attend) / ln(trained keys), [B, H, Q].
Tensor row_factors(const Tensor& counts, const Shape& shape, int64_t trained_keys) {
  const Tensor factors = counts.clamp_min(1).log() / std::log(static_cast<double>(trained_keys));
  return factors.to(at::kFloat).expand({shape.batch, shape.heads, shape.queries}).contiguous();
}

// Rows of heads, contiguous, in float32; the numbers of a row lie side by side.
Tensor readable(const Tensor& tensor) {
  const Tensor typed = tensor.to(at::kFloat);
  return typed.stride(3) == 1 || typed.size(3) == 1 ? typed : typed.contiguous();
}

}  // namespace

Call call_of(const Tensor& query, const Tensor& key, const Tensor& value,
             const std::vector<Position>& positions, const AttentionOptions& options) {
  Tensor q = query, k = key, v = value;
  Call call{{}, c10::make_intrusive<Plan>(masked_plan(q, options))};
  Plan& plan = *call.plan;
  plan.scale = attention_scale(q.size(3), positions, options);
  Tensor allowed;
  if (is_scattered(plan)) {
    allowed = allowed_pairs(q.size(2), k.size(2), options, q.device());
    const Tensor unused = allowed.any(2).bitwise_not().unsqueeze(-1);
    k = k.masked_fill(unused, 0.0);  // 0 * NaN is NaN
    v = v.masked_fill(unused, 0.0);
    q = q.masked_fill(allowed.any(3).bitwise_not().unsqueeze(-1), 0.0);
  }
  if (options.length_scale_keys) {
    const Shape shape = shape_of(q, k, v);
    plan.row_factor =
        row_factors(counted_keys(plan, shape, allowed), shape, *options.length_scale_keys);
  }
  for (const auto& position : positions) {
    if (!position.terms.rotation) continue;
    q = q.to(at::kFloat), k = k.to(at::kFloat);
    rotate(*position.terms.rotation, q, k);
  }
  call.tensors = {readable(q), readable(k), readable(v)};
  const auto take = [&](const Tensor& table) {
    if (!table.defined()) return -1;
    call.tensors.push_back(table.to(at::kFloat).contiguous());
    return static_cast<int>(call.tensors.size()) - 1;
  };
  Tensor content_bias;
  for (const auto& [relation, terms] : positions) {
    if (terms.content_bias.defined()) {
      content_bias =
          content_bias.defined() ? content_bias + terms.content_bias : terms.content_bias;
    }
    if (terms.score.defined()) plan.scores.push_back({pair_ids(relation), take(terms.score)});
    if (!terms.key.defined() && !terms.query.defined() && !terms.value.defined()) continue;
    VectorParts parts{table_ids(relation, terms)};
    parts.rows = terms.table_rows.defined() ? terms.table_size : relation.rows;
    parts.key = take(terms.key);
    parts.query = take(terms.query);
    parts.value = take(terms.value);
    if (terms.key.defined()) parts.position_bias = take(terms.position_bias);
    plan.vectors.push_back(std::move(parts));
  }
  plan.content_bias = take(content_bias);
  return call;
}

Forward outline_of(const Tensor& q, const Tensor& k, const Tensor& v,
                   const std::vector<Position>& positions, const AttentionOptions& options) {
  Forward call;
  call.shape = shape_of(q, k, v);
  call.allowed = allowed_of(masked_plan(q, options));
  call.allowed.samples = nullptr;  // of a plan that ends here
  static const float there = 0;
  const auto part = [](const Tensor& table) { return table.defined() ? &there : nullptr; };
  for (const auto& [relation, terms] : positions) {
    const bool line = relation.index_class == IndexClass::line,
               pairs = relation.index_class == IndexClass::pairs;
    const Ids ids{line ? nullptr : &there, line ? 0 : relation.index.element_size(), pairs, 0};
    if (terms.score.defined()) call.scores.push_back({ids, relation.rows, &there});
    if (!terms.key.defined() && !terms.query.defined() && !terms.value.defined()) continue;
    const bool compact = terms.table_rows.defined();
    Ids rows = ids;
    if (compact) rows.data = &there;
    call.vectors.push_back({rows, compact ? terms.table_size : relation.rows, part(terms.key),
                            part(terms.query), part(terms.value), part(terms.position_bias)});
  }
  return call;
}

Forward forward_of(const Plan& plan, const std::vector<Tensor>& tensors, const Saved& saved) {
  const Tensor &q = tensors[0], &k = tensors[1], &v = tensors[2];
  const auto strided = [](const Tensor& x) -> Strided<const float> {
    return {x.const_data_ptr<float>(), x.stride(0), x.stride(1), x.stride(2)};
  };
  const auto table = [&](int part) {
    return part < 0 ? nullptr : tensors[static_cast<size_t>(part)].const_data_ptr<float>();
  };
  Forward call;
  call.shape = shape_of(q, k, v);
  call.q = strided(q), call.k = strided(k), call.v = strided(v);
  call.scale = static_cast<float>(plan.scale);
  call.allowed = allowed_of(plan);
  if (plan.row_factor.defined()) call.row_factor = plan.row_factor.const_data_ptr<float>();
  call.content_bias = table(plan.content_bias);
  for (const auto& parts : plan.scores) {
    call.scores.push_back(
        {parts.ids.ids, tensors[static_cast<size_t>(parts.score)].size(1), table(parts.score)});
  }
  for (const auto& parts : plan.vectors) {
    call.vectors.push_back({parts.ids.ids, parts.rows, table(parts.key), table(parts.query),
                            table(parts.value), table(parts.position_bias)});
  }
  const Tensor& out = saved.out;
  call.out = {out.mutable_data_ptr<float>(), out.stride(0), out.stride(1), out.stride(2)};
  call.highest = saved.highest.mutable_data_ptr<float>();
  call.part = saved.part.mutable_data_ptr<float>();
  return call;
}

}  // namespace relbias::encodings::fused
