// SPDX-License-Identifier: Apache-2.0
// tests: attention as its definition reads, by loops over single pairs in double.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "encodings/attention/attention.h"
#include "encodings/encoding.h"
#include "tests/encodings/relation_cases.h"

/// The oracles beside this file are written from the papers, by another formula than the encodings:
/// they share no code with them and know of an encoding its parameters' names only.
namespace relbias::encodings {

/// Largest difference allowed between an encoding in double and its oracle.
constexpr double oracle_tolerance = 1e-9;

/// One call of attention, in double. The last query stands at the last key.
struct Call {
  Tensor q;  // [B, H, Q, D]
  Tensor k;  // [B, H, K, D]
  Tensor v;  // [B, H, K, D]
  bool causal = false;
  Tensor mask{};                  // [B, 1, Q, K] bool; undefined: every key
  std::optional<double> scale{};  // nothing: 1/sqrt(D)

  int64_t batch() const { return q.size(0); }
  int64_t heads() const { return q.size(1); }
  int64_t queries() const { return q.size(2); }
  int64_t keys() const { return k.size(2); }
  int64_t width() const { return q.size(3); }
};

/// Query i and key j of one head of one sample.
struct Pair {
  int64_t b, h, i, j;
};

/// Numbers of queries and keys on which every oracle is tried.
const std::vector<std::pair<int64_t, int64_t>>& oracle_sizes();

/// Random q, k, v of 3 heads of width 6, one sample for every sample of the map, two on a line.
Call random_call(const RelationMap& map, bool causal);

/// An encoding of 3 heads of width 6 in double, its parameters random. `spread` is their deviation.
std::shared_ptr<Encoding> oracle_encoding(const std::string& text, const RelationCase& relation,
                                          bool causal, double spread = 1);

/// A grid with all that relations offer on it, ids row-major in (dy, dx), key - query.
RelationCase plain_grid(int64_t height, int64_t width);

/// What attention makes of an encoding.
AttentionResult attend(Encoding& encoding, const RelationMap& map, const Call& call);

/// Offset of key j from query i on a line.
inline int64_t line_offset(const Call& call, const Pair& pair) {
  return pair.j - (pair.i + call.keys() - call.queries());
}

/// r(i,j): on a line j - i + Q - 1, else as the map stores it.
int64_t relation_id(const RelationMap& map, const Pair& pair);
/// |offset| on a line, else as the map stores it.
double distance_of(const RelationMap& map, const Pair& pair);
/// Which id without a distance the pair has, -1 none.
int64_t special_of(const RelationMap& map, const Pair& pair);

bool may_attend(const Call& call, const Pair& pair);

/// The vector of token n in [B, H, N, D].
const double* token(const Tensor& tokens, int64_t b, int64_t h, int64_t n);
double dot(const double* a, const double* b, int64_t width);
/// q_i . k_j / sqrt(D)
double content_score(const Call& call, const Pair& pair);

/// [B, H, Q, K]; 0 where the pair may not attend.
Tensor by_pair(const Call& call, const std::function<double(const Pair&)>& number);

/// A score table [H, R] at every pair, [B, H, Q, K]; 0 where the pair may not attend.
Tensor score_at_pairs(const Tensor& table, const RelationMap& map, const Call& call);

/// out_i = sum_j w_ij v_ij / sum_j w_ij over the pairs that may attend, [B, H, Q, D]. `weight` is
/// not normalised; `value` gives what the pair hands on, v_j where it is empty.
Tensor plain_attention(const Call& call, const std::function<double(const Pair&)>& weight,
                       const std::function<std::vector<double>(const Pair&)>& value = {});

/// A parameter by its name; must be there.
Tensor parameter(const Encoding& encoding, const std::string& name);
/// One number of a parameter [1|H, ...]; tables of one head count for all.
double number(const Tensor& parameter, const std::vector<int64_t>& index);

/// Gives a parameter these numbers, in memory order.
void set_parameter(const Encoding& encoding, const std::string& name,
                   const std::vector<double>& numbers);

}  // namespace relbias::encodings
