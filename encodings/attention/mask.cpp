// SPDX-License-Identifier: Apache-2.0
// encodings/attention: masks as one tensor of booleans, for the reference.
#include "encodings/attention/mask.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

namespace relbias::encodings {
namespace {

void check_type(const char* what, const Tensor& tensor, at::ScalarType expected) {
  if (tensor.scalar_type() == expected) return;
  input_error("{} has type {}, {} expected{}", what, toString(tensor.scalar_type()),
              expected == at::kBool ? "bool" : "int64",
              expected == at::kBool ? " (true = may attend)" : "");
}

void check_pairs(const Tensor& pairs, const Tensor& q, const Tensor& k) {
  check_type("mask", pairs, at::kBool);
  const std::array<int64_t, 4> full{q.size(0), q.size(1), q.size(2), k.size(2)};
  bool fits = pairs.dim() == 4 && pairs.size(2) == full[2] && pairs.size(3) == full[3];
  for (int64_t dim = 0; fits && dim < 2; ++dim) {
    fits = pairs.size(dim) == 1 || pairs.size(dim) == full[static_cast<size_t>(dim)];
  }
  if (!fits) {
    input_error("mask has shape [{}], [{} or 1, {} or 1, {}, {}] expected",
                fmt::join(pairs.sizes(), ", "), full[0], full[1], full[2], full[3]);
  }
}

void join(Tensor& all, const Tensor& more) { all = all.defined() ? all.bitwise_and(more) : more; }

// Token j - token i of every pair, [1, 1, Q, K].
Tensor steps(int64_t queries, int64_t keys, c10::Device device) {
  const Tensor token = at::arange(keys, at::TensorOptions(at::kLong).device(device));
  return (token.unsqueeze(0) - token.narrow(0, keys - queries, queries).unsqueeze(1))
      .view({1, 1, queries, keys});
}

Tensor same_group(const Tensor& groups, int64_t queries) {
  const int64_t keys = groups.size(0);
  const Tensor query = groups.narrow(0, keys - queries, queries).unsqueeze(1),
               key = groups.unsqueeze(0);
  return (query == key).bitwise_or(query < 0).bitwise_or(key < 0).unsqueeze(0).unsqueeze(0);
}

}  // namespace

bool leaves_out_tokens(const AttentionOptions& options) {
  return options.mask.defined() || options.valid_keys.defined() || options.groups.defined();
}

Tensor allowed_pairs(int64_t queries, int64_t keys, const AttentionOptions& options,
                     c10::Device device) {
  Tensor all = options.mask;
  if (options.valid_keys.defined()) {
    join(all, options.valid_keys.unsqueeze(1).unsqueeze(1).expand({-1, 1, queries, keys}));
  }
  if (options.causal) {
    join(all, at::ones({1, 1, queries, keys}, at::TensorOptions(at::kBool).device(device))
                  .tril(keys - queries));
  }
  if (options.window > 0) join(all, steps(queries, keys, device).abs() < options.window);
  if (options.groups.defined()) join(all, same_group(options.groups, queries));
  return all;
}

void check_mask(const AttentionOptions& options, const Tensor& q, const Tensor& k) {
  const int64_t queries = q.size(2), keys = k.size(2);
  if (options.window < 0) input_error("window {} found, 0 or more tokens expected", options.window);
  if ((options.window > 0 || options.groups.defined()) && queries > keys) {
    input_error("a window or groups need a place for each query: {} queries and {} keys found",
                queries, keys);
  }
  if (options.mask.defined()) check_pairs(options.mask, q, k);
  if (options.valid_keys.defined()) {
    const Tensor& valid = options.valid_keys;
    check_type("valid keys", valid, at::kBool);
    if (valid.dim() != 2 || (valid.size(0) != 1 && valid.size(0) != q.size(0)) ||
        valid.size(1) != keys) {
      input_error("valid keys have shape [{}], [{} or 1, {}] expected",
                  fmt::join(valid.sizes(), ", "), q.size(0), keys);
    }
  }
  if (options.groups.defined()) {
    check_type("groups of tokens", options.groups, at::kLong);
    if (options.groups.dim() != 1 || options.groups.size(0) != keys) {
      input_error("groups of tokens have shape [{}], [{}] expected",
                  fmt::join(options.groups.sizes(), ", "), keys);
    }
  }
}

}  // namespace relbias::encodings
