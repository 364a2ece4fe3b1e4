// SPDX-License-Identifier: Apache-2.0
// tests/golden/image: `cpe` against the PEG of Twins and the convolution of CoaT in timm.
#include <ATen/ATen.h>

#include "tests/golden/golden_test.h"
#include "tests/golden/relations.h"

namespace relbias::golden {
namespace {

class Convolution : public GoldenTest {
 protected:
  Tensor encoded(const std::string& name, const RelationMap& map) {
    const Tensor x = golden.in("x");
    const auto encoding = make("cpe", {.heads = 1, .head_width = x.size(2)}, map);
    set(*encoding, "weight", golden.w(name + ".weight"));
    set(*encoding, "bias", golden.w(name + ".bias"));
    return encoding->tokens(x, map);
  }
  RelationMap patches() const {
    const auto size = golden.integers("size");
    return grid(size.at(0), size.at(1));
  }
};

class TwinsConvolution : public Convolution {};
TEST_P(TwinsConvolution, EqualsThePackage) { expect({{"out", encoded("proj.0", patches())}}); }
RELBIAS_GOLDEN_TESTS(TwinsConvolution, cases("convpos_timm", "peg_posconv/s1"));

class CoatConvolution : public Convolution {};
// The class token before the patches is left alone.
TEST_P(CoatConvolution, EqualsThePackage) {
  expect({{"out", encoded("proj", with_class_token(patches()))}});
}
RELBIAS_GOLDEN_TESTS(CoatConvolution, cases("convpos_timm", "coat_conv_pos_enc/"));

}  // namespace
}  // namespace relbias::golden
