// SPDX-License-Identifier: Apache-2.0
// encodings/attention: checks of the inputs, masks, and the choice of the implementation.
#include "encodings/attention/attention.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

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

void check_mask(const Tensor& mask, const Tensor& q, const Tensor& k) {
  if (!mask.defined()) return;
  if (mask.scalar_type() != at::kBool) {
    input_error("mask has type {}, bool expected (true = may attend)",
                toString(mask.scalar_type()));
  }
  const std::array<int64_t, 4> full{q.size(0), q.size(1), q.size(2), k.size(2)};
  bool fits = mask.dim() == 4 && mask.size(2) == full[2] && mask.size(3) == full[3];
  for (int64_t dim = 0; fits && dim < 2; ++dim) {
    fits = mask.size(dim) == 1 || mask.size(dim) == full[static_cast<size_t>(dim)];
  }
  if (!fits) {
    input_error("mask has shape [{}], [{} or 1, {} or 1, {}, {}] expected",
                fmt::join(mask.sizes(), ", "), full[0], full[1], full[2], full[3]);
  }
}

void check_table(const char* name, const Tensor& table, int64_t heads, int64_t rows) {
  if (!table.defined()) return;
  if (table.size(0) != heads || table.size(1) != rows) {
    input_error("{} table has {} heads and {} rows, {} heads and {} rows expected", name,
                table.size(0), table.size(1), heads, rows);
  }
}

void check_position(const Position& position, const Tensor& q, const Tensor& k) {
  const auto& [relation, terms] = position;
  check_same("queries of the relation", relation.queries, "query tokens", q.size(2));
  check_same("keys of the relation", relation.keys, "key tokens", k.size(2));
  if (relation.index.defined() && relation.index_class == IndexClass::pairs &&
      relation.index.size(0) != 1) {
    check_same("samples of the relation", relation.index.size(0), "query batch", q.size(0));
  }
  const int64_t heads = q.size(1);
  const int64_t table_size = terms.table_rows.defined() ? terms.table_size : relation.rows;
  check_table("score", terms.score, heads, relation.rows);
  check_table("key", terms.key, heads, table_size);
  check_table("query", terms.query, heads, table_size);
  check_table("value", terms.value, heads, table_size);
  if (terms.rotation && 2 * terms.rotation->key_cos.size(-1) > q.size(3)) {
    input_error("rotation of {} channels is wider than the head, {}",
                2 * terms.rotation->key_cos.size(-1), q.size(3));
  }
}

}  // namespace

Backend backend_from(const std::string& word) {
  if (word == "auto") return Backend::automatic;
  if (word == "reference") return Backend::reference;
  if (word == "fused") return Backend::fused;
  unknown_word("backend", word, {"auto", "reference", "fused"});
}

Tensor allowed_pairs(int64_t queries, int64_t keys, const AttentionOptions& options,
                     c10::Device device) {
  if (!options.causal) return options.mask;
  const Tensor causal = at::ones({1, 1, queries, keys}, at::TensorOptions(at::kBool).device(device))
                            .tril(keys - queries);
  return options.mask.defined() ? options.mask.bitwise_and(causal) : causal;
}

AttentionResult attention(const Tensor& q, const Tensor& k, const Tensor& v,
                          const std::vector<Position>& positions, const AttentionOptions& options) {
  check_inputs(q, k, v);
  check_mask(options.mask, q, k);
  int rotations = 0;
  for (const auto& position : positions) {
    check_position(position, q, k);
    rotations += position.terms.rotation.has_value();
  }
  if (rotations > 1) input_error("{} rotations of query and key found, one at most", rotations);
  if (options.length_scale_keys && *options.length_scale_keys < 2) {
    input_error("length_scale=log: {} trained keys found, at least 2 expected",
                *options.length_scale_keys);
  }
  if (options.backend == Backend::fused) {
    input_error(
        "backend fused: this build has no fused kernel for these terms; "
        "use backend auto or reference");
  }
  // An allocator that overcommits would let the process be killed instead of refusing.
  if (q.device().is_cpu()) check_memory(q, k, positions, main_memory());
  return reference_attention(q, k, v, positions, options);
}

}  // namespace relbias::encodings
