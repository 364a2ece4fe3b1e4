// SPDX-License-Identifier: Apache-2.0
// tests/golden/text: `deberta` against DeBERTa and DeBERTa-v2 of transformers.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/golden/golden_test.h"
#include "tests/golden/relations.h"

namespace relbias::golden {
namespace {

std::string deberta(const std::string& terms, int64_t buckets, int64_t max_distance) {
  return fmt::format("deberta terms={} buckets={} max_distance={}", terms,
                     std::max<int64_t>(buckets, 0), max_distance);
}

class DebertaBucket : public GoldenTest {};

// Quirk 2: the package's buckets run on past the span; the row is cut afterwards, here at once.
TEST_P(DebertaBucket, IsTheRowOfEveryDistance) {
  const int64_t span = golden.integer("bucket_size");
  const Tensor distance = golden.read("in/relative_pos");  // query - key: ours is the other sign
  const RelationMap map = pairs(-distance.view({1, 1, -1, 1}));
  const auto encoding = make(deberta("c2p", span, golden.integer("max_position")),
                             {.heads = 1, .head_width = 8}, map);
  const Tensor expected = (golden.read("out/bucket") + span).clamp(0, 2 * span - 1);
  EXPECT_TRUE(at::equal(encoding->terms(map).table_rows, expected));
}
RELBIAS_GOLDEN_TESTS(DebertaBucket, cases("deberta", "log_bucket/"));

class DebertaIds : public GoldenTest {};

// Queries and keys both count from 0. Our rows are the package's ids moved up by the span.
TEST_P(DebertaIds, AreTheRowsOfEveryPair) {
  const RelationMap map = line(golden.integer("q_len"), golden.integer("k_len"), 0);
  const bool bucketed = golden.has_option("bucket_size") && golden.integer("bucket_size") > 0;
  const int64_t span = bucketed ? golden.integer("bucket_size") : 32;
  const auto encoding = make(
      bucketed ? deberta("c2p", span, golden.integer("max_position")) : deberta("c2p", 0, span),
      {.heads = 1, .head_width = 8}, map);
  const Tensor rows = encoding->terms(map).table_rows.take(map.pair_rows());
  EXPECT_TRUE(at::equal(rows, (golden.read("out/rel") + span).clamp(0, 2 * span - 1)));
}
RELBIAS_GOLDEN_TESTS(DebertaIds, cases("deberta", "build_relative_position/"));

// Quirk 3: the position queries of a key, p2c, have the row of query - key in the package, as ours.
class DebertaTest : public GoldenTest {
 protected:
  // Our table rows, from weights of the package, with terms `c2p` and `p2c` as the case has them.
  Terms terms_of(const std::string& text, const ModelShape& shape, const RelationMap& map,
                 const std::map<std::string, Tensor>& weights) {
    const auto encoding = make(text, shape, map);
    for (const auto& [name, value] : weights) set(*encoding, name, value);
    return encoding->terms(map);
  }

  // The words `c2p,p2c` as our option has them.
  std::string named_terms() const {
    std::string words = golden.word("pos_att_type");
    std::replace(words.begin(), words.end(), ',', '+');
    return words;
  }

  void expect_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                        const Position& position) {
    AttentionOptions options{.return_weights = true};
    options.mask = golden.read("in/attention_mask").to(at::kBool);
    const auto result = attention_with_even_rows({q, k, v}, {position}, options, Masking::fills);
    // The package has 1/sqrt(D (1 + terms)) in float32, which is exact where that is a square.
    const double root =
        std::sqrt(static_cast<double>(q.size(3) * (1 + position.terms.scale_terms)));
    const bool exact = root == std::round(root);
    expect({{"attn_probs", result.weights}, {"out", join_heads(result.out)}},
           exact ? Tolerance{} : Tolerance{1e-7, 1e-7});
  }
};

class DebertaV1 : public DebertaTest {};

TEST_P(DebertaV1, EqualsThePackage) {
  const int64_t heads = golden.integer("num_attention_heads");
  const Tensor x = golden.in("hidden_states");
  // Rows of the packed projection: head, then q k v, then channel. Only q and v have a bias.
  const auto packed = split_heads(at::linear(x, golden.w("in_proj.weight")), heads).chunk(3, -1);
  const auto bias = [&](const char* name) { return golden.w(name).view({1, heads, 1, -1}); };
  const Tensor q = packed[0] + bias("q_bias"), v = packed[2] + bias("v_bias");
  const RelationMap map = line(x.size(1));
  Position position{map, {}};
  if (golden.has("w/pos_proj.weight") || golden.has("w/pos_q_proj.weight")) {
    std::map<std::string, Tensor> weights{{"embedding", golden.in("rel_embeddings")}};
    if (golden.has("w/pos_proj.weight")) weights["key_projection"] = golden.w("pos_proj.weight");
    if (golden.has("w/pos_q_proj.weight")) {
      weights["query_projection"] = golden.w("pos_q_proj.weight");
    }
    // The package cuts its table to min(tokens, S) rows a side, which no pair goes beyond.
    const std::string text = deberta(named_terms(), 0, golden.integer("max_relative_positions"));
    position.terms = terms_of(text, {heads, q.size(3)}, map, weights);
    // Its projection of position queries has a bias c, ours none: k_j.(Q[r] + c) is u = c.
    if (golden.has("w/pos_q_proj.bias")) {
      position.terms.content_bias = golden.w("pos_q_proj.bias").view({heads, -1});
    }
  }
  expect_attention(q, packed[1], v, position);
}

std::vector<CaseId> without(const std::string& word, std::vector<CaseId> all) {
  std::erase_if(all, [&](const CaseId& id) { return id.group.find(word) != std::string::npos; });
  return all;
}
RELBIAS_GOLDEN_TESTS(DebertaV1, without("talking_head", cases("deberta", "v1/")));

class DebertaV2 : public DebertaTest {
 protected:
  Tensor project(const Tensor& x, const std::string& name) {
    return at::linear(x, golden.w(name + ".weight"), golden.w(name + ".bias"));
  }
};

TEST_P(DebertaV2, EqualsThePackage) {
  const int64_t heads = golden.integer("num_attention_heads");
  const Tensor x = golden.in("hidden_states");
  const Tensor queries = golden.has("in/query_states") ? golden.in("query_states") : x;
  const Tensor q = split_heads(project(queries, "query_proj"), heads);
  const Tensor k = split_heads(project(x, "key_proj"), heads);
  const Tensor v = split_heads(project(x, "value_proj"), heads);
  const RelationMap map = line(q.size(2), k.size(2), 0);
  // Positions go through projections of their own or through those of the contents.
  const std::string prefix = golden.has("w/pos_key_proj.weight") ? "pos_" : "";
  std::map<std::string, Tensor> weights{{"embedding", golden.in("rel_embeddings")},
                                        {"key_projection", golden.w(prefix + "key_proj.weight")}};
  const std::string text = deberta(named_terms(), golden.integer("position_buckets"),
                                   golden.integer("max_relative_positions"));
  const bool p2c = named_terms().find("p2c") != std::string::npos;
  if (p2c) weights["query_projection"] = golden.w(prefix + "query_proj.weight");
  Position position{map, terms_of(text, {heads, q.size(3)}, map, weights)};
  // The projections have biases, ours none. That of the position keys adds the same to all scores
  // of a row, which the softmax does not see; that of the position queries is u, as above.
  golden.w(prefix + "key_proj.bias");
  if (p2c) position.terms.content_bias = golden.w(prefix + "query_proj.bias").view({heads, -1});
  expect_attention(q, k, v, position);
}
RELBIAS_GOLDEN_TESTS(DebertaV2, without("UNSUPPORTED", cases("deberta", "v2/")));

}  // namespace
}  // namespace relbias::golden
