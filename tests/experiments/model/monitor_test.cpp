// SPDX-License-Identifier: Apache-2.0
// tests: attention monitors on weights worked by hand.
#include "experiments/model/monitor.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "encodings/encoding.h"

namespace relbias::experiments {
namespace {

// ALiBi with one head of slope 1/256 on 3 causal tokens whose content scores are 0.
struct Watched {
  explicit Watched(const std::string& encoding, double spread = 0) : monitor(1) {
    const auto relation = make_relation("token");
    const RelationMap map = relation->map(relation->structure(3, 3));
    const EncodingContext context{.heads = 1,
                                  .head_width = 2,
                                  .width = 2,
                                  .causal = true,
                                  .relation = relation->traits(),
                                  .trained = map};
    const auto made = make_encoding(parse_encoding(encoding), "token", context, Initialiser(1));
    const Tensor q = at::full({1, 1, 3, 2}, spread);
    AttentionOptions options;
    options.causal = true;
    monitor.add(0, q, q, {{map, made->terms(map)}}, options, map);
    sums = monitor.layers()[0];
  }
  AttentionMonitor monitor;
  AttentionSums sums;
};

TEST(AttentionMonitor, UniformWeightsHaveTheEntropyOfTheirNumber) {
  const Watched none("none");
  EXPECT_EQ(none.sums.rows, 3);
  EXPECT_EQ(none.sums.pairs, 6);
  EXPECT_NEAR(none.sums.entropy[0].item<double>(), std::log(2.0) + std::log(3.0), 1e-6);
  // Rows 1, 1/2 1/2, 1/3 1/3 1/3: at distance 0 together 11/6, at 1 5/6, at 2 1/3.
  const Tensor share = none.sums.share[0];
  EXPECT_NEAR(share[0].item<double>(), 11.0 / 6, 1e-6);
  EXPECT_NEAR(share[1].item<double>(), 5.0 / 6, 1e-6);
  EXPECT_NEAR(share[2].item<double>(), 1.0 / 3, 1e-6);
  EXPECT_NEAR(share.sum().item<double>(), 3, 1e-6);
  EXPECT_EQ(none.sums.minimum[0].item<double>(), 0);
  EXPECT_EQ(none.sums.maximum[0].item<double>(), 0);
}

TEST(AttentionMonitor, TellsThePositionTermFromTheContent) {
  const Watched alibi("alibi", 3.0);
  const double slope = 1.0 / 256;
  EXPECT_NEAR(alibi.sums.minimum[0].item<double>(), -2 * slope, 1e-5);
  EXPECT_NEAR(alibi.sums.maximum[0].item<double>(), 0, 1e-5);
  // The allowed pairs have distances 0, 1 0, 2 1 0.
  EXPECT_NEAR(alibi.sums.squares[0].item<double>(), (1 + 4 + 1) * slope * slope, 1e-6);
}

// Attention without a matrix of all pairs may have done what cannot be looked at: a machine's
// memory was gone at 32,768 tokens.
TEST(AttentionMonitor, RefusesWhatWouldNotFit) {
  AttentionMonitor monitor(1);
  const RelationMap map = make_relation("token")->map(make_relation("token")->structure(3, 3));
  const Tensor q = at::zeros({1, 4, 2897, 1});
  try {
    monitor.add(0, q, q, {}, {}, map);
    FAIL() << "nothing was refused";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "watching 4 heads, 2897 queries and 2897 keys takes 1074253952 bytes, at most "
              "1073741824 expected");
  }
}

}  // namespace
}  // namespace relbias::experiments
