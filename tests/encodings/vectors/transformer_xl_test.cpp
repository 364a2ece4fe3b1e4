// SPDX-License-Identifier: Apache-2.0
// tests: `transformer-xl` reads the right distance in every cell, with memory and in both
// directions.
#include <cmath>

#include "tests/encodings/worked.h"

namespace relbias::encodings {
namespace {

// PE(d) of width 4: the sines of both frequencies, then the cosines.
Tensor wave(double d) {
  return at::tensor({std::sin(d), std::sin(d / 100), std::cos(d), std::cos(d / 100)}, at::kDouble);
}

// The encoding with the identity as its projection, so that its key table is PE itself.
Worked bare(int64_t queries, int64_t keys) {
  Worked worked = work("transformer-xl", queries, keys, {.heads = 1, .head_width = 4});
  worked.encoding->to(at::kDouble);
  const at::NoGradGuard no_gradients;
  worked.encoding->named_parameters()["projection"].copy_(at::eye(4));
  worked.position.terms = worked.encoding->terms(worked.position.relation);
  return worked;
}

// Seen elsewhere: shifts that give scores of other rows.
TEST(TransformerXl, EveryCellHasItsOwnDistance) {
  const Worked worked = bare(3, 5);
  EXPECT_EQ(worked.position.relation.rows, 7);
  const double distances[3][5] = {{2, 1, 0, -1, -2}, {3, 2, 1, 0, -1}, {4, 3, 2, 1, 0}};
  const Tensor ids = worked.position.relation.pair_rows()[0];
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 5; ++j) {
      const Tensor found = worked.position.terms.key[0][ids[i][j].item<int64_t>()];
      EXPECT_CLOSE(found, wave(distances[i][j]), 1e-7) << "cell " << i << ", " << j;
    }
  }
}

// Seen elsewhere: the sine part without its sign.
TEST(TransformerXl, TheSinePartKeepsTheSign) {
  const Tensor table = bare(2, 2).position.terms.key[0];  // distances 1 0 -1
  EXPECT_NEAR(table[0][0].item<double>(), 0.8414710, 1e-7);
  EXPECT_NEAR(table[0][2].item<double>(), 0.5403023, 1e-7);
  EXPECT_NEAR(table[2][0].item<double>(), -0.8414710, 1e-7);
  EXPECT_NEAR(table[2][2].item<double>(), 0.5403023, 1e-7);
}

}  // namespace
}  // namespace relbias::encodings
