// SPDX-License-Identifier: Apache-2.0
// tests: relation `random-walk`.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "encodings/attention/attention.h"
#include "encodings/encoding.h"
#include "tests/modalities/graph/graphs.h"

namespace relbias::modalities {

using namespace encodings;

namespace {

RelationMap map_of(const std::string& relation) {
  const auto made = make_relation(relation);
  return made->map(made->structure(std::nullopt, std::nullopt));
}

TEST(RandomWalk, Triangle) {
  const RelationMap map = map_of("random-walk steps=4 gain=1 edges=0-1,1-2,0-2");
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      const at::Tensor found = map.features[0][i][j].unsqueeze(0);
      EXPECT_MATRIX(
          found, i == j ? matrix({{0, 0.5, 0.25, 0.375}}) : matrix({{0.5, 0.25, 0.375, 0.3125}}));
    }
  }
  EXPECT_MATRIX(map_of("random-walk edges=0-1,1-2,0-2").features[0][0][0].unsqueeze(0),
                40 * matrix({{0, 0.5, 0.25, 0.375, 0.3125, 0.34375, 0.328125, 0.3359375}}));
}

TEST(RandomWalk, StandingStillIsAFeatureOfItsOwn) {
  const auto relation = make_relation("random-walk steps=2 gain=8 self=true edges=0-1,1-2,0-2");
  EXPECT_EQ(relation->traits().features, 3);
  const at::Tensor found = relation->map(relation->structure({}, {})).features[0];
  EXPECT_MATRIX(found[1][1].unsqueeze(0), matrix({{1, 0, 4}}));
  EXPECT_MATRIX(found[1][2].unsqueeze(0), matrix({{0, 4, 2}}));
}

TEST(RandomWalk, GoesFromTheQueryToTheKey) {
  // The middle of a path goes to either end, an end to the middle only.
  const at::Tensor first = map_of("random-walk steps=1 gain=1 edges=0-1,1-2").features[0];
  EXPECT_MATRIX(first.squeeze(2), matrix({{0, 1, 0}, {0.5, 0, 0.5}, {0, 1, 0}}));
}

TEST(RandomWalk, RowsAreProbabilitiesAndIsolatedNodesAreNowhere) {
  const RelationMap map =
      map_of("random-walk steps=6 gain=1 edges=0-1,1-2,1-1,2-0,0-3 nodes=5 virtual_node=true");
  const at::Tensor rows = map.features[0].sum(1);  // over keys: [K, steps]
  EXPECT_TRUE(at::allclose(rows.narrow(0, 1, 4), at::ones({4, 6})));
  EXPECT_EQ(rows[5].sum().item<float>(), 0);  // isolated
  EXPECT_EQ(rows[0].sum().item<float>(), 0);  // virtual
  EXPECT_MATRIX(map.pair_rows()[0].narrow(0, 0, 2),
                matrix({{4, 2, 2, 2, 2, 2}, {3, 0, 0, 0, 0, 1}}));
}

TEST(RandomWalk, LinearAndContinuousBiasReadIt) {
  const auto relation = make_relation("random-walk steps=4 virtual_node=true edges=0-1,1-2,0-2");
  const RelationMap map = relation->map(relation->structure(std::nullopt, std::nullopt));
  const EncodingContext context{.heads = 2,
                                .head_width = 4,
                                .width = 8,
                                .causal = false,
                                .relation = relation->traits(),
                                .trained = map};
  const at::Tensor zeros = at::zeros({1, 2, 4, 4});
  for (const std::string text : {"linear", "cpb"}) {
    const auto encoding =
        make_encoding(parse_encoding(text), "random-walk", context, Initialiser(1));
    const auto result =
        attention(zeros, zeros, zeros, {{map, encoding->terms(map)}}, {.return_weights = true});
    result.weights.pow(2).sum().backward();
    for (const auto& parameter : encoding->named_parameters()) {
      EXPECT_GT(parameter.value().grad().abs().max().item<float>(), 0)
          << text << " " << parameter.key();
    }
  }
}

}  // namespace
}  // namespace relbias::modalities
