// SPDX-License-Identifier: Apache-2.0
// tests: `alibi` against the published slopes and matrices worked by hand.
#include <cmath>

#include "tests/encodings/worked.h"

namespace relbias::encodings {
namespace {

std::vector<double> slopes(int64_t heads) {
  const Worked worked = work("alibi", 1, 2, {.heads = heads});
  std::vector<double> found;
  for (int64_t h = 0; h < heads; ++h) found.push_back(-worked.score(h)[0][0].item<double>());
  return found;
}

void expect_slopes(const std::vector<double>& expected) {
  const auto found = slopes(static_cast<int64_t>(expected.size()));
  for (size_t h = 0; h < expected.size(); ++h) EXPECT_NEAR(found[h], expected[h], 1e-7) << h;
}

// Seen elsewhere: slopes wrong where the number of heads is no power of two.
TEST(Alibi, SlopesInPublishedOrder) {
  expect_slopes({0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625});
  expect_slopes({0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625,  //
                 0.70710678, 0.35355339, 0.17677670, 0.08838835});
  expect_slopes({0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125});
  expect_slopes({0.0625, 0.00390625, 0.25});
  expect_slopes({0.00390625});
}

// Slope 0.5 is the first of eight heads.
Worked half(int64_t queries, int64_t keys) { return work("alibi", queries, keys, {.heads = 8}); }

// Seen elsewhere: the causal shortcut taken in an encoder.
TEST(Alibi, IsSymmetricWithoutACausalMask) {
  EXPECT_CLOSE(weights_of(half(3, 3), false),
               rows({{0.5064804, 0.3071959, 0.1863237},
                     {0.2740686, 0.4518628, 0.2740686},
                     {0.1863237, 0.3071959, 0.5064804}}),
               1e-6);
  EXPECT_CLOSE(weights_of(half(3, 3), true)[2], rows({{0.1863237, 0.3071959, 0.5064804}})[0], 1e-6);
}

// Seen elsewhere: distances that restart at zero while decoding.
TEST(Alibi, CountsFromTheLastKeyWhileDecoding) {
  EXPECT_CLOSE(half(1, 5).score(), rows({{-2, -1.5, -1, -0.5, 0}}), 0);
  EXPECT_CLOSE(half(2, 4).score(), rows({{-1, -0.5, 0, -0.5}, {-1.5, -1, -0.5, 0}}), 0);
}

// Seen elsewhere: a bias built in bfloat16.
TEST(Alibi, TellsFarNeighboursApartInABfloat16Model) {
  const auto distances = [](int64_t keys) {
    Worked worked = work("alibi", 1, keys, {.heads = 12});
    worked.encoding->to(at::kBFloat16);
    return worked.encoding->terms(worked.position.relation).score;
  };
  const Tensor biases = distances(1024);
  EXPECT_EQ(biases.scalar_type(), at::kFloat);
  EXPECT_EQ(biases[0][1023 - 512].item<float>(), -256.f);
  EXPECT_EQ(biases[0][1023 - 513].item<float>(), -256.5f);
  EXPECT_NEAR(biases[8][1023 - 1000].item<float>(), -707.1068, 1e-3);  // slope 2^-0.5
  EXPECT_NEAR(biases[8][1023 - 1001].item<float>(), -707.8139, 1e-3);
  EXPECT_EQ(std::get<0>(at::_unique(biases[0])).size(0), 1024);
}

}  // namespace
}  // namespace relbias::encodings
