// SPDX-License-Identifier: Apache-2.0
// tests/golden/rotary: what the tests of rotary encodings share.
#pragma once

#include <string>

#include "tests/golden/golden_test.h"

namespace relbias::golden {

class RotaryTest : public GoldenTest {
 protected:
  /// Holds cos or sin tables against the package's, whose angles are float32 products of float32
  /// numbers (quirk 9): off by up to 2^-24 of the angle each, three times.
  static void expect_tables(const Rotation& ours,  // tables [B|1, H|1, N, P]
                            const Tensor& cos, const Tensor& sin,
                            const Tensor& angles);  // of the package: how far each may be off

  /// q and k rotated by the package's own tables: what is left is the layout, and exact.
  void expect_rotated(const Rotation& ours, const Tensor& cos, const Tensor& sin);

  /// `in/q`, `out/q` as [B, H, N, D], where the package has tokens before heads.
  virtual Tensor heads_first(const Tensor& x) const { return x; }
};

/// `rope ...` from a package's `{"rope_type": "yarn", "factor": 4.0, ...}`; `trained` is the length
/// that dynamic scaling starts from.
std::string rope_from(const std::string& json, int64_t trained);

}  // namespace relbias::golden
