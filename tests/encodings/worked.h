// SPDX-License-Identifier: Apache-2.0
// tests: an encoding on the `token` relation, as matrices that can be worked by hand.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "encodings/attention/attention.h"
#include "encodings/encoding.h"

namespace relbias::encodings {

struct ForModel {
  int64_t heads = 1;
  int64_t head_width = 4;
  bool causal = false;
  int64_t trained = 0;  // 0: the keys there are
};

struct Worked {
  std::shared_ptr<Encoding> encoding;
  Position position;

  /// Row of the encoding's table that each pair uses, [Q, K].
  at::Tensor ids() const {
    return position.terms.table_rows.take(position.relation.pair_rows())[0];
  }
  /// b of one head, [Q, K].
  at::Tensor score(int64_t head = 0) const {
    return position.terms.score[head].take(position.relation.pair_rows())[0];
  }
};

inline Worked work(const std::string& text, int64_t queries, int64_t keys,
                   const ForModel& model = {}) {
  const auto relation = make_relation("token");
  const int64_t trained = model.trained > 0 ? model.trained : keys;
  const EncodingContext context{.heads = model.heads,
                                .head_width = model.head_width,
                                .width = model.heads * model.head_width,
                                .causal = model.causal,
                                .relation = relation->traits(),
                                .trained = relation->map(relation->structure(trained, trained))};
  Worked worked{make_encoding(parse_encoding(text), "token", context, Initialiser(1)), {}};
  worked.position.relation = relation->map(relation->structure(queries, keys));
  worked.position.terms = worked.encoding->terms(worked.position.relation);
  return worked;
}

/// Attention weights of head 0 where every content score is zero, [Q, K].
inline at::Tensor weights_of(const Worked& worked, bool causal) {
  const auto& [relation, terms] = worked.position;
  const int64_t heads = worked.position.terms.score.size(0);
  const auto zeros = [&](int64_t tokens) { return at::zeros({1, heads, tokens, 4}, at::kDouble); };
  AttentionOptions options{.return_weights = true};
  options.causal = causal;
  return attention(zeros(relation.queries), zeros(relation.keys), zeros(relation.keys),
                   {worked.position}, options)
      .weights[0][0];
}

/// A matrix from its rows, written out.
inline at::Tensor rows(std::initializer_list<std::initializer_list<double>> values) {
  std::vector<double> flat;
  for (const auto& row : values) flat.insert(flat.end(), row.begin(), row.end());
  return at::tensor(flat, at::kDouble).view({static_cast<int64_t>(values.size()), -1});
}

/// The message of the InputError that a call throws, or "no error".
template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

#define EXPECT_CLOSE(found, expected, tolerance)                                               \
  EXPECT_TRUE(at::allclose((found).to(at::kDouble), (expected).to(at::kDouble), 0, tolerance)) \
      << (found) << "\nexpected\n"                                                             \
      << (expected)

}  // namespace relbias::encodings
