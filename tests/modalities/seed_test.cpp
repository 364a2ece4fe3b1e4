// SPDX-License-Identifier: Apache-2.0
// tests: random streams never meet, and a draw depends on nothing but its address.
#include "modalities/seed.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <set>

namespace relbias::modalities {
namespace {

std::vector<double> first_draws(at::Generator generator) {
  const at::Tensor draws = at::rand({4}, generator, at::kDouble);
  return {draws.data_ptr<double>(), draws.data_ptr<double>() + 4};
}

// Seen elsewhere: seeds that collide. With seed + worker, seeds 0 1 2 with 4 workers share 6
// streams.
TEST(Stream, ThreeSeedsWithFourWorkersAreTwelveStreams) {
  std::set<uint64_t> seeds;
  std::set<std::vector<double>> draws;
  std::set<uint64_t> sums;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    for (uint64_t worker = 0; worker < 4; ++worker) {
      seeds.insert(stream_seed(seed, "data", worker));
      draws.insert(first_draws(stream(seed, "data", worker)));
      sums.insert(seed + worker);
    }
  }
  EXPECT_EQ(seeds.size(), 12u);
  EXPECT_EQ(draws.size(), 12u);
  EXPECT_EQ(sums.size(), 6u);  // what it would have been
}

TEST(Stream, ManyAddressesDoNotCollide) {
  std::set<uint64_t> seeds;
  size_t addresses = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (const auto* name : {"data", "dropout", "evaluation", "initial layers.0.query", "size"}) {
      for (uint64_t index = 0; index < 500; ++index, ++addresses) {
        seeds.insert(stream_seed(seed, name, index));
      }
    }
  }
  EXPECT_EQ(seeds.size(), addresses);
}

TEST(Stream, NamesAreNotRunTogetherWithSeedsOrIndices) {
  EXPECT_NE(stream_seed(0, "a", 'b'), stream_seed(0, "ab", 0));
  EXPECT_NE(stream_seed(0, "ab"), stream_seed(0, "ba"));
  EXPECT_NE(stream_seed(0, ""), stream_seed(0, std::string_view("\0", 1)));
  EXPECT_NE(stream_seed(1, "a", 0), stream_seed(0, "a", 1));
}

TEST(Stream, TheSameAddressGivesTheSameDraws) {
  EXPECT_EQ(first_draws(stream(7, "data", 3)), first_draws(stream(7, "data", 3)));
  at::Generator other = stream(7, "dropout", 3);
  at::rand({1000}, other);  // nothing that is drawn elsewhere moves it
  EXPECT_EQ(first_draws(stream(7, "data", 3)), first_draws(stream(7, "data", 3)));
}

// The initial weights and batches of finished runs hang on these values.
TEST(Stream, SeedsStayWhatTheyWere) {
  EXPECT_EQ(stream_seed(0, "data", 0), 8612271941737630835u);
  EXPECT_EQ(stream_seed(2, "evaluation", 64), 6526827165847314591u);
}

TEST(Stream, NeighbouringSeedsShareAboutHalfTheirBits) {
  int differing = 0;
  for (uint64_t index = 0; index < 256; ++index) {
    differing +=
        __builtin_popcountll(stream_seed(0, "data", index) ^ stream_seed(0, "data", index + 1));
  }
  EXPECT_NEAR(differing / 256.0, 32.0, 2.0);  // standard deviation of the mean: 0.25
}

}  // namespace
}  // namespace relbias::modalities
