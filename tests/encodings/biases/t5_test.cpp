// SPDX-License-Identifier: Apache-2.0
// tests: `t5` buckets, exact, and the ways in which they go wrong.
#include "tests/encodings/worked.h"

namespace relbias::encodings {
namespace {

constexpr ForModel kCausal{.causal = true};

// Buckets of keys that lie `distance` behind the query; negative: ahead of it.
std::vector<int64_t> buckets(const std::string& options, const std::vector<int64_t>& distances,
                             const ForModel& model) {
  const Worked worked = work("t5 " + options, 1, 1, model);
  std::vector<int64_t> found;
  for (const int64_t distance : distances) {
    const int64_t size = std::abs(distance) + 1;
    const auto terms = work("t5 " + options, size, size, model);
    const Tensor ids = terms.ids();
    found.push_back((distance >= 0 ? ids[size - 1][0] : ids[0][size - 1]).item<int64_t>());
  }
  return found;
}

using Integers = std::vector<int64_t>;

// Seen elsewhere: no cap on the log bucket.
TEST(T5, CapsTheLogBucketAtTheLastRow) {
  const Integers distances{15, 16, 17, 63, 64, 112, 113, 126, 127, 128, 129, 1000};
  EXPECT_EQ(buckets("", distances, kCausal),
            (Integers{15, 16, 16, 26, 26, 30, 31, 31, 31, 31, 31, 31}));
  const Integers past{9, 10, 10, 13, 14, 15, 15, 15, 15, 15, 15, 15};
  EXPECT_EQ(buckets("", distances, {}), past);
  Integers ahead, future;
  for (const int64_t distance : distances) ahead.push_back(-distance);
  for (const int64_t bucket : past) future.push_back(bucket + 16);
  EXPECT_EQ(buckets("", ahead, {}), future);
}

// Seen elsewhere: max_distance ignored.
TEST(T5, MaxDistanceMovesTheBuckets) {
  EXPECT_EQ(buckets("max_distance=64", {20, 60}, kCausal), (Integers{18, 31}));
  EXPECT_EQ(buckets("max_distance=128", {20, 60}, kCausal), (Integers{17, 26}));
  EXPECT_EQ(buckets("max_distance=256", {100}, kCausal), (Integers{26}));
  EXPECT_EQ(buckets("max_distance=128", {100}, kCausal), (Integers{30}));
}

// Seen elsewhere: past and future halves swapped.
TEST(T5, FutureKeysUseTheUpperHalf) {
  const Tensor ids = work("t5", 10, 10).ids();
  EXPECT_CLOSE(ids[0], rows({{0, 17, 18, 19, 20, 21, 22, 23, 24, 24}})[0], 0);
  EXPECT_CLOSE(ids.select(1, 0), rows({{0, 1, 2, 3, 4, 5, 6, 7, 8, 8}})[0], 0);
  EXPECT_FALSE((work("t5", 200, 200).ids() == 16).any().item<bool>());
}

// Seen elsewhere: the offset of a cached query forgotten.
TEST(T5, TheLastQueryStandsAtTheLastKey) {
  EXPECT_CLOSE(work("t5", 1, 6, kCausal).ids(), rows({{5, 4, 3, 2, 1, 0}}), 0);
  EXPECT_CLOSE(work("t5", 2, 4, kCausal).ids(), rows({{2, 1, 0, 0}, {3, 2, 1, 0}}), 0);
}

TEST(T5, BucketsAreExactWherePlainDoubleArithmeticIsNot) {  // golden README, quirk 1
  const Integers found = buckets("num_buckets=20 max_distance=160", {10, 20, 80}, {});
  // 10 a direction, 5 of them exact: 5 + log(d/5)/log(32) * 5 = 6, 7, 9.
  EXPECT_EQ(found, (Integers{6, 7, 9}));
}

TEST(T5, WorkedExampleOfTheDocComment) {
  EXPECT_CLOSE(work("t5 num_buckets=8 max_distance=20", 4, 4).ids(),
               rows({{0, 5, 6, 6}, {1, 0, 5, 6}, {2, 1, 0, 5}, {2, 2, 1, 0}}), 0);
}

TEST(T5, OptionsWithoutMeaningAreNamed) {
  const auto message = [](const std::string& options, const ForModel& model) {
    return message_of([&] { work("t5 " + options, 2, 2, model); });
  };
  EXPECT_NE(message("num_buckets=7", {}).find("num_buckets 7 found, an even number"),
            std::string::npos);
  EXPECT_NE(message("num_buckets=2", {}).find("at least 4"), std::string::npos);
  EXPECT_NE(message("num_buckets=1", kCausal).find("2 to 1000000"), std::string::npos);
  EXPECT_NE(message("max_distance=8", {}).find("max_distance 8 found, more than the 8"),
            std::string::npos);
  EXPECT_NE(message("num_bucket=8", {}).find("did you mean 'num_buckets'"), std::string::npos);
  EXPECT_EQ(message("num_buckets=7", kCausal), "no error");
}

}  // namespace
}  // namespace relbias::encodings
