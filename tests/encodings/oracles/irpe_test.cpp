// SPDX-License-Identifier: Apache-2.0
// tests: iRPE against Wu et al. 2021, "Rethinking and Improving Relative Position Encoding for
// Vision Transformer", bucket by bucket.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/encodings/gradients.h"
#include "tests/encodings/oracles/plain_attention.h"

namespace relbias::encodings {
namespace {

constexpr double alpha = 1.9;
constexpr double beta = 2 * alpha;
constexpr double gamma = 8 * alpha;

/// The bucket of a whole x, by the places where eq. 18 steps: up to alpha it is x itself, above it
/// is n from alpha (gamma/alpha)^((n - 1/2 - alpha) / (beta - alpha)) on, and as int(beta) = 3 ends
/// it, n goes to 3.
int64_t bucket(double x) {
  const double size = std::abs(x);
  const int64_t sign = x < 0 ? -1 : 1;
  if (size <= alpha) return static_cast<int64_t>(x);
  int64_t n = 2;
  const double third = alpha * std::pow(gamma / alpha, (2.5 - alpha) / (beta - alpha));
  if (size >= third) n = 3;
  return sign * n;
}

/// Offsets of key from query, by the tokens' places on a line or grid, else as the map has them;
/// where it has a distance only, that.
std::vector<double> offsets(const RelationMap& map, const Pair& pair) {
  const auto whole = [](int64_t number) { return static_cast<double>(number); };
  if (map.index_class == IndexClass::line)
    return {whole(pair.j - pair.i - (map.keys - map.queries))};
  if (map.index_class == IndexClass::grid) {
    const int64_t width = map.sides.at(1);
    return {whole(pair.j / width - pair.i / width), whole(pair.j % width - pair.i % width)};
  }
  if (!map.offsets.defined()) return {distance_of(map, pair)};
  const Tensor row = map.offsets[relation_id(map, pair)];
  return {row[0].item<double>(), row[1].item<double>()};
}

/// The row that a pair uses in each of the method's tables.
std::vector<int64_t> table_rows(const std::string& method, const std::vector<double>& offset) {
  double square = 0;
  for (const double x : offset) square += x * x;
  if (method == "euclidean") return {bucket(std::round(std::sqrt(square)))};
  if (method == "quantization") return {bucket(square)};
  std::vector<int64_t> rows;
  for (const double x : offset) rows.push_back(bucket(x) + 3);
  if (method == "cross" || rows.size() == 1) return rows;
  return {rows[0] * 7 + rows[1]};
}

/// The relations on which a method is tried: on hops a distance is all there is.
std::vector<RelationCase> relations(const std::string& method) {
  std::vector<RelationCase> found{relation_case("small-grid"), relation_case("small-tree"),
                                  plain_grid(1, 7), plain_grid(5, 6)};
  if (method == "euclidean" || method == "quantization")
    found.push_back(relation_case("small-hops"));
  return found;
}

const std::vector<std::string> methods{"euclidean", "quantization", "cross", "product"};

/// An encoding on one map, and what it should be.
class Irpe {
 public:
  Irpe(const std::string& method, const std::string& options, const RelationCase& relation,
       const RelationMap& map)
      : method_(method),
        map_(map),
        encoding_(oracle_encoding("irpe method=" + method + " " + options, relation,
                                  /*causal=*/false)) {
    for (const auto& named : encoding_->named_parameters())
      learned_.emplace(named.key(), named.value().detach());
  }

  Encoding& encoding() { return *encoding_; }

  /// The sum of the pair's rows over the tables of a parameter: D numbers of vectors, one of
  /// scalars. A pair without a distance has no row.
  std::vector<double> looked_up(const std::string& name, const Pair& pair) const {
    const Tensor& tables = learned_.at(name);
    std::vector<double> sum(tables.dim() == 4 ? tables.size(3) : 1);
    if (special_of(map_, pair) >= 0) return sum;
    const std::vector<int64_t> rows = table_rows(method_, offsets(map_, pair));
    EXPECT_EQ(static_cast<int64_t>(rows.size()), tables.size(1));
    for (size_t table = 0; table < rows.size(); ++table)
      for (size_t c = 0; c < sum.size(); ++c) {
        std::vector<int64_t> index{pair.h, static_cast<int64_t>(table), rows[table]};
        if (tables.dim() == 4) index.push_back(static_cast<int64_t>(c));
        sum[c] += number(tables, index);
      }
    return sum;
  }

  /// The learned scalar of a pair without a distance.
  double special(const Pair& pair) const {
    const int64_t id = special_of(map_, pair);
    return id < 0 ? 0 : number(learned_.at("special"), {pair.h, id});
  }

  /// A term's vectors [H, rows, D] against the looked-up ones.
  void expect_vectors(const Terms& terms, const Tensor& vectors, const std::string& name,
                      const Call& call) const {
    ASSERT_TRUE(vectors.defined()) << name;
    const Tensor table = vectors.detach().contiguous();  // one table for all heads is a view
    const Tensor gaps = by_pair(call, [&](const Pair& pair) {
      int64_t row = relation_id(map_, pair);
      if (terms.table_rows.defined()) row = terms.table_rows[row].item<int64_t>();
      const std::vector<double> expected = looked_up(name, pair);
      double gap = 0;
      for (int64_t c = 0; c < call.width(); ++c)
        gap += std::abs(number(table, {pair.h, row, c}) - expected.at(c));
      return gap;
    });
    EXPECT_LT(distance(gaps, at::zeros_like(gaps)), oracle_tolerance) << name;
  }

 private:
  std::string method_;
  RelationMap map_;
  std::shared_ptr<Encoding> encoding_;
  std::map<std::string, Tensor> learned_;
};

/// The pairs that have a distance, [B, 1, Q, K].
Tensor placed(const RelationMap& map) {
  return map.special.lt(0).index({map.pair_rows()}).unsqueeze(1).contiguous();
}

void expect_bias(const std::string& method, const RelationCase& relation, const RelationMap& map,
                 const std::string& options) {
  Irpe irpe(method, "mode=bias " + options, relation, map);
  const Call call = random_call(map, /*causal=*/false);
  const auto bias = [&](const Pair& pair) {
    return irpe.looked_up("bias", pair)[0] + irpe.special(pair);
  };
  EXPECT_LT(
      distance(score_at_pairs(irpe.encoding().terms(map).score, map, call), by_pair(call, bias)),
      oracle_tolerance);
  const Tensor out = plain_attention(
      call, [&](const Pair& pair) { return std::exp(content_score(call, pair) + bias(pair)); });
  EXPECT_LT(distance(attend(irpe.encoding(), map, call).out, out), oracle_tolerance);
}

/// Where `map` has special ids, their pairs attend only if `special` says so.
void expect_contextual(const std::string& method, const RelationCase& relation,
                       const RelationMap& map, const std::string& on, bool special = false) {
  Irpe irpe(method, "mode=contextual on=" + on, relation, map);
  Call call = random_call(map, /*causal=*/false);
  if (map.special.defined() && !special) call.mask = placed(map);
  const Terms terms = irpe.encoding().terms(map);
  const auto is_on = [&](char letter) { return on.find(letter) != std::string::npos; };
  if (is_on('k')) irpe.expect_vectors(terms, terms.key, "on_k", call);
  if (is_on('q')) irpe.expect_vectors(terms, terms.query, "on_q", call);
  if (is_on('v')) irpe.expect_vectors(terms, terms.value, "on_v", call);
  EXPECT_EQ(terms.key.defined(), is_on('k'));
  EXPECT_EQ(terms.query.defined(), is_on('q'));
  EXPECT_EQ(terms.value.defined(), is_on('v'));

  const auto product = [&](const double* content, const std::string& name, const Pair& pair) {
    return dot(content, irpe.looked_up(name, pair).data(), call.width()) /
           std::sqrt(static_cast<double>(call.width()));
  };
  const auto weight = [&](const Pair& pair) {
    double score = content_score(call, pair) + irpe.special(pair);
    if (is_on('k')) score += product(token(call.q, pair.b, pair.h, pair.i), "on_k", pair);
    if (is_on('q')) score += product(token(call.k, pair.b, pair.h, pair.j), "on_q", pair);
    return std::exp(score);
  };
  const auto value = [&](const Pair& pair) {
    std::vector<double> sum(call.width());
    if (is_on('v')) sum = irpe.looked_up("on_v", pair);
    for (int64_t c = 0; c < call.width(); ++c) sum[c] += token(call.v, pair.b, pair.h, pair.j)[c];
    return sum;
  };
  EXPECT_LT(distance(attend(irpe.encoding(), map, call).out, plain_attention(call, weight, value)),
            oracle_tolerance);
}

TEST(IrpeOracle, BiasOnALine) {
  const RelationCase line = relation_case("token");
  for (const std::string& method : methods)
    for (const auto& [queries, keys] : oracle_sizes()) {
      SCOPED_TRACE(::testing::Message() << method << " Q " << queries << " K " << keys);
      expect_bias(method, line, line.map(queries, keys), "");
      expect_bias(method, line, line.map(queries, keys), "per_head=true");
    }
}

TEST(IrpeOracle, BiasOnGridHopsAndTree) {
  for (const std::string& method : methods)
    for (const RelationCase& relation : relations(method)) {
      SCOPED_TRACE(method + " on " + relation.name);
      expect_bias(method, relation, relation.map(relation.tokens, relation.tokens), "");
    }
}

TEST(IrpeOracle, ContextualOnALine) {
  const RelationCase line = relation_case("token");
  for (const std::string& method : methods)
    for (const std::string on : {"q", "k", "v", "qkv"})
      for (const auto& [queries, keys] : oracle_sizes()) {
        SCOPED_TRACE(::testing::Message()
                     << method << " on " << on << " Q " << queries << " K " << keys);
        expect_contextual(method, line, line.map(queries, keys), on);
      }
}

TEST(IrpeOracle, ContextualOnGridHopsAndTree) {
  for (const std::string& method : methods)
    for (const std::string on : {"q", "k", "v", "qkv"})
      for (const RelationCase& relation : relations(method)) {
        SCOPED_TRACE(method + " on " + on + " of " + relation.name);
        expect_contextual(method, relation, relation.map(relation.tokens, relation.tokens), on);
      }
}

// A pair without a distance has no vector but one learned scalar, as in other encodings of
// distances.
TEST(IrpeOracle, ContextualWithoutADistance) {
  const RelationCase hops = relation_case("small-hops");
  for (const std::string method : {"euclidean", "quantization"})
    expect_contextual(method, hops, hops.map(hops.tokens, hops.tokens), "qkv", /*special=*/true);
}

// g(x) = x up to 1.9, else round(1.9 + 1.9 ln(x/1.9) / ln 8), at most 3.8, which is cut to 3:
//   g(2) = round(1.947) = 2, g(3) = round(2.317) = 2, g(4) = round(2.580) = 3, ...,
//   g(10) = round(3.417) = 3, g(11) = min(3.8, round(3.504) = 4) -> 3.
TEST(IrpeOracle, BucketsByHand) {
  const RelationCase line = relation_case("token");
  Irpe irpe("product", "mode=bias", line, line.map(12, 12));
  const Terms terms = irpe.encoding().terms(line.map(12, 12));
  const Tensor rows = at::tensor(std::vector<int64_t>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2,  // -11..-1
                                                      3,                                // 0
                                                      4, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6});
  EXPECT_TRUE(at::equal(terms.table_rows, rows)) << terms.table_rows;
}

// Four patches of a 2 x 2 grid. (dy, dx) of key from query:
//   (0,0)  (0,1)  (1,0)  (1,1)
//   (0,-1) (0,0)  (1,-1) (1,0)
//   (-1,0) (-1,1) (0,0)  (0,1)
//   (-1,-1)(-1,0) (0,-1) (0,0)
// product: row (dy + 3) * 7 + dx + 3 = 24 + 7 dy + dx. euclidean: distances 0, 1, sqrt 2 = 1.41
// round to 0, 1, 1. quantization: squares 0, 1, 2 are their own buckets. cross: 10 dy + dx where
// the tables' rows hold ten times and once their own offset.
TEST(IrpeOracle, AScalarMeetsNothing) {
  const EncodingContext context{
      .heads = 1, .head_width = 4, .width = 4, .relation = {.axes = 1, .distance = true}};
  const auto reason = [&](const std::string& options) {
    return undefined_reason(parse_encoding("irpe " + options), "token", context).value_or("");
  };
  EXPECT_NE(reason("mode=bias on=q").find("mode=contextual expected"), std::string::npos);
  EXPECT_EQ(reason("mode=bias on=k"), "");
  EXPECT_EQ(reason("mode=contextual on=q"), "");
}

TEST(IrpeOracle, MatrixByHand) {
  const RelationCase grid = plain_grid(2, 2);
  const RelationMap map = grid.map(4, 4);
  const Call call = random_call(map, /*causal=*/false);
  const auto expect_matrix = [&](const std::string& method, const std::vector<double>& tables,
                                 const std::vector<double>& matrix) {
    Irpe irpe(method, "mode=bias", grid, map);
    set_parameter(irpe.encoding(), "bias", tables);
    const Tensor score = score_at_pairs(irpe.encoding().terms(map).score, map, call);
    EXPECT_LT(distance(score[1][2], at::tensor(matrix, at::kDouble).view({4, 4})), oracle_tolerance)
        << method;
  };
  std::vector<double> row_numbers;
  for (int row = 0; row < 49; ++row) row_numbers.push_back(row);
  expect_matrix("product", row_numbers,
                {24, 25, 31, 32, 23, 24, 30, 31, 17, 18, 24, 25, 16, 17, 23, 24});
  expect_matrix("euclidean", {5, 7, 11, 13}, {5, 7, 7, 7, 7, 5, 7, 7, 7, 7, 5, 7, 7, 7, 7, 5});
  expect_matrix("quantization", {5, 7, 11, 13},
                {5, 7, 7, 11, 7, 5, 11, 7, 7, 11, 5, 7, 11, 7, 7, 5});
  expect_matrix("cross", {-30, -20, -10, 0, 10, 20, 30, -3, -2, -1, 0, 1, 2, 3},
                {0, 1, 10, 11, -1, 0, 9, 10, -10, -9, 0, 1, -11, -10, -1, 0});
}

}  // namespace
}  // namespace relbias::encodings
