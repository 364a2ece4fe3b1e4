// SPDX-License-Identifier: Apache-2.0
// encodings/attention: checks of the inputs, then the implementation that was asked for.
#include "encodings/attention/attention.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include "encodings/attention/backend.h"
#include "encodings/attention/mask.h"
#include "encodings/attention/memory.h"

namespace relbias::encodings {
namespace {

void check_same(const char* what, int64_t found, const char* other, int64_t expected) {
  if (found != expected) input_error("{} {} differs from {} {}", what, found, other, expected);
}

void check_rank(const char* name, const Tensor& tensor) {
  if (tensor.dim() == 4) return;
  input_error("{} has shape [{}], 4 dimensions [batch, heads, tokens, width] expected", name,
              fmt::join(tensor.sizes(), ", "));
}

void check_inputs(const Tensor& q, const Tensor& k, const Tensor& v) {
  check_rank("query", q);
  check_rank("key", k);
  check_rank("value", v);
  check_same("key batch", k.size(0), "query batch", q.size(0));
  check_same("value batch", v.size(0), "query batch", q.size(0));
  check_same("key heads", k.size(1), "query heads", q.size(1));
  check_same("value heads", v.size(1), "query heads", q.size(1));
  check_same("key width", k.size(3), "query width", q.size(3));
  check_same("value tokens", v.size(2), "key tokens", k.size(2));
}

// A table of the algebra in all its dimensions: [heads, rows] or [heads, rows, width].
void check_table(const char* name, const Tensor& table, at::IntArrayRef expected) {
  if (!table.defined() || table.sizes() == expected) return;
  input_error("{} table has shape [{}], [{}] expected: heads, rows{}", name,
              fmt::join(table.sizes(), ", "), fmt::join(expected, ", "),
              expected.size() == 3 ? ", width" : "");
}

// Tables of a rotation: [B|1, 1|H, tokens, pairs].
void check_turn(const char* name, const Tensor& table, const Tensor& x, int64_t pairs) {
  const bool fits = table.dim() == 4 && (table.size(0) == 1 || table.size(0) == x.size(0)) &&
                    (table.size(1) == 1 || table.size(1) == x.size(1)) &&
                    table.size(2) == x.size(2) && table.size(3) == pairs;
  if (fits) return;
  input_error("rotation of the {} has shape [{}], [{} or 1, {} or 1, {}, {}] expected", name,
              fmt::join(table.sizes(), ", "), x.size(0), x.size(1), x.size(2), pairs);
}

void check_rotation(const Rotation& rotation, const Tensor& q, const Tensor& k) {
  const int64_t pairs = rotation.key_cos.size(-1);
  if (2 * pairs > q.size(3)) {
    input_error("rotation of {} channels is wider than the head, {}", 2 * pairs, q.size(3));
  }
  check_turn("query", rotation.query_cos, q, pairs);
  check_turn("query", rotation.query_sin, q, pairs);
  check_turn("key", rotation.key_cos, k, pairs);
  check_turn("key", rotation.key_sin, k, pairs);
}

// Ids of a grid are [Q, K], of pairs [1|B, Q, K].
void check_index(const RelationMap& relation, const Tensor& q) {
  if (relation.index_class == IndexClass::line) return;
  std::vector<int64_t> expected{relation.queries, relation.keys};
  if (relation.index_class == IndexClass::pairs) {
    if (relation.index.dim() == 3 && relation.index.size(0) != 1) {
      check_same("samples of the relation", relation.index.size(0), "query batch", q.size(0));
    }
    expected.insert(expected.begin(), relation.index.size(0));
  }
  if (relation.index.sizes() == at::IntArrayRef(expected)) return;
  input_error("ids of the relation have shape [{}], [{}] expected",
              fmt::join(relation.index.sizes(), ", "), fmt::join(expected, ", "));
}

void check_position(const Position& position, const Tensor& q, const Tensor& k, const Tensor& v) {
  const auto& [relation, terms] = position;
  check_same("queries of the relation", relation.queries, "query tokens", q.size(2));
  check_same("keys of the relation", relation.keys, "key tokens", k.size(2));
  check_index(relation, q);
  const int64_t heads = q.size(1), width = q.size(3);
  const int64_t table_size = terms.table_rows.defined() ? terms.table_size : relation.rows;
  check_table("score", terms.score, {heads, relation.rows});
  check_table("key", terms.key, {heads, table_size, width});
  check_table("query", terms.query, {heads, table_size, width});
  check_table("value", terms.value, {heads, table_size, v.size(3)});
  check_table("content bias", terms.content_bias, {heads, width});
  check_table("position bias", terms.position_bias, {heads, width});
  if (terms.rotation) check_rotation(*terms.rotation, q, k);
}

}  // namespace

AttentionResult attention(const Tensor& q, const Tensor& k, const Tensor& v,
                          const std::vector<Position>& positions, const AttentionOptions& options) {
  check_inputs(q, k, v);
  check_mask(options, q, k);
  int rotations = 0;
  for (const auto& position : positions) {
    check_position(position, q, k, v);
    rotations += position.terms.rotation.has_value();
  }
  if (rotations > 1) input_error("{} rotations of query and key found, one at most", rotations);
  if (options.length_scale_keys && *options.length_scale_keys < 2) {
    input_error("length_scale=log: {} trained keys found, at least 2 expected",
                *options.length_scale_keys);
  }
  const AttentionBackend& backend = backend_for(q, k, v, positions, options);
  // An allocator that overcommits would let the process be killed instead of refusing.
  if (q.device().is_cpu()) {
    check_memory(q, k, backend.bytes(q, k, v, positions, options), main_memory());
  }
  return backend.compute(q, k, v, positions, options);
}

}  // namespace relbias::encodings
