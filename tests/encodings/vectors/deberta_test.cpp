// SPDX-License-Identifier: Apache-2.0
// tests: `deberta` buckets, the index of its query table, its scale.
#include <cmath>

#include "encodings/shared/log_buckets.h"
#include "tests/encodings/worked.h"

namespace relbias::encodings {
namespace {

// Seen elsewhere: log buckets rounded down, or without sign.
TEST(Deberta, LogBucketsRoundUp) {
  const auto small = deberta_buckets(8, 16);
  const std::vector<int64_t> distances{4, 5, 6, 7, 9, 10, 15}, expected{4, 5, 5, 6, 6, 7, 7};
  for (size_t n = 0; n < distances.size(); ++n) {
    EXPECT_EQ(small[static_cast<size_t>(distances[n])], expected[n]) << distances[n];
  }
  const auto large = deberta_buckets(256, 512);
  EXPECT_EQ(large[128], 128);
  EXPECT_EQ(large[129], 129);
  EXPECT_EQ(large[200], 169);
  EXPECT_EQ(large[511], 255);
}

// Seen elsewhere: log buckets rounded down, or without sign. -5 -> -5, -15 -> -7.
TEST(Deberta, KeepsTheSignOfADistance) {
  const Tensor ids = work("deberta buckets=8 max_distance=16", 16, 16).ids();
  EXPECT_EQ(ids[0][5].item<int64_t>(), 8 - 5);
  EXPECT_EQ(ids[0][15].item<int64_t>(), 8 - 7);
  EXPECT_EQ(ids[15][0].item<int64_t>(), 8 + 7);
}

// Seen elsewhere: code and paper differ in this index. As the code, not as the paper.
TEST(Deberta, BothIndicesAreQueryMinusKey) {
  const Worked worked = work("deberta buckets=0 max_distance=2", 4, 4);
  EXPECT_CLOSE(worked.ids(), rows({{2, 1, 0, 0}, {3, 2, 1, 0}, {3, 3, 2, 1}, {3, 3, 3, 2}}), 0);
  EXPECT_EQ(worked.position.terms.key.size(1), 4);
  EXPECT_EQ(worked.position.terms.query.size(1), 4);
}

double scale(const std::string& terms) {
  const Worked worked = work("deberta terms=" + terms, 2, 2, {.head_width = 64});
  return 1 / std::sqrt(64.0 * static_cast<double>(1 + worked.position.terms.scale_terms));
}

// Seen elsewhere: a scale that counts terms never added.
TEST(Deberta, ScaleCountsTheTermsReallyAdded) {
  EXPECT_NEAR(scale("c2p+p2c"), 0.0721688, 1e-7);
  EXPECT_NEAR(scale("c2p"), 0.0883883, 1e-7);
  EXPECT_NEAR(scale("c2p+p2c+p2p"), 1.0 / 16, 1e-7);
  const Worked all = work("deberta terms=c2p+p2c+p2p", 2, 2, {.head_width = 64});
  EXPECT_TRUE(all.position.terms.score.defined());  // p2p is added, not only counted
  EXPECT_NE(message_of([] { work("deberta terms=c2p+p2q", 2, 2); }).find("did you mean 'c2p+p2c'"),
            std::string::npos);
}

TEST(Deberta, PositionToPositionIsTheProductOfBothTables) {
  const Worked worked = work("deberta terms=p2p buckets=0 max_distance=2", 3, 3, {.head_width = 4});
  const auto parameters = worked.encoding->named_parameters();
  const Tensor key = at::linear(parameters["embedding"], parameters["key_projection"]);
  const Tensor query = at::linear(parameters["embedding"], parameters["query_projection"]);
  // Query 2, key 1: row of i - j = 1 is 3, of j - i = -1 is 1; scale 1/sqrt(4 * 2).
  const double expected = (query[3] * key[1]).sum().item<double>() / std::sqrt(8.0);
  EXPECT_NEAR(worked.score()[2][1].item<double>(), expected, 1e-7);
}

TEST(Deberta, OptionsWithoutMeaningAreNamed) {
  const auto message = [](const std::string& options) {
    return message_of([&] { work("deberta " + options, 2, 2); });
  };
  EXPECT_NE(message("buckets=3").find("even number from 4"), std::string::npos);
  EXPECT_NE(message("buckets=8 max_distance=5").find("more than 5 expected"), std::string::npos);
}

}  // namespace
}  // namespace relbias::encodings
