// SPDX-License-Identifier: Apache-2.0
// tests/golden: a test of one case: our encoding with its weights must give its outputs and
// gradients.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "encodings/attention/attention.h"
#include "encodings/encoding.h"
#include "tests/golden/golden.h"

namespace relbias::golden {

/// What an encoding is built for.
struct ModelShape {
  int64_t heads;
  int64_t head_width;
  bool causal = false;
};

/// Relative to the largest number of what is compared, or to `smallest` if it is below: a gradient
/// that is zero in exact arithmetic, as that of a bias of all keys, has only the rounding of
/// others.
struct Tolerance {
  double outputs = 1e-9;
  double gradients = 1e-9;
  double smallest = 1e-3;
};

class GoldenTest : public testing::TestWithParam<CaseId> {
 protected:
  /// An encoding in double, trained on `trained`.
  std::shared_ptr<Encoding> make(const std::string& encoding, const ModelShape& shape,
                                 const RelationMap& trained);

  /// Puts `value` into a parameter of an encoding, or of another module. Where it was computed from
  /// leaves of the case, the gradient goes on from the parameter to them, so that it is compared
  /// where the package has it.
  void set(torch::nn::Module& module, const std::string& parameter, const Tensor& value);

  /// Holds outputs against `out64` (`out` where the package has no float64), then the gradients of
  /// sum(output * cotangent) against all that the case has: each must belong to a leaf read before.
  /// `fixed` names an input that is none here, as we compute it ourselves.
  void expect(const std::map<std::string, Tensor>& outputs, const Tolerance& tolerance = {},
              const std::string& fixed = "");

  Case golden{GetParam()};

 private:
  void run_backward(const std::map<std::string, Tensor>& outputs);
  void expect_gradients(const std::string& group, const std::string& leaves,
                        const Tolerance& tolerance);

  std::string fixed_;
  std::vector<std::pair<Tensor, Tensor>> set_;  // value, parameter
};

/// |found - expected| against tolerance * max |expected|; a NaN is infinitely far, and an infinite
/// number equals itself alone.
void expect_close(const std::string& what, const Tensor& found, const Tensor& expected,
                  double tolerance, double smallest = Tolerance().smallest);

Tensor split_heads(const Tensor& x, int64_t heads);  // [B, N, H D] -> [B, H, N, D]
Tensor join_heads(const Tensor& x);                  // [B, H, N, D] -> [B, N, H D]

/// True where an additive mask keeps a pair: float32's minimum, -100 and -inf drop one.
Tensor allowed_where_kept(const Tensor& additive);
/// A [B|1, 1|H, 1|Q, K] mask as attention wants it, with a row for every query.
Tensor for_every_query(const Tensor& allowed, int64_t queries);

/// Quirk 7: what a package does to the score of a pair that may not attend, which decides where a
/// row without any key gets its gradient from. Both give every key of that row the same weight.
enum class Masking {
  fills,  // puts float32's minimum in its place: no gradient comes from it
  adds    // adds float32's minimum, which absorbs it, though the gradient goes on as if not
};

/// `attention`, with the fused kernel held against it on the same case where the kernel can compute
/// it: what is compared with a package then holds for both.
AttentionResult attended(const Tensor& q, const Tensor& k, const Tensor& v,
                         const std::vector<Position>& positions, const AttentionOptions& options);

/// `attention`, and, where a row has no key, what these packages have there. Ours is zero, which is
/// checked first.
AttentionResult attention_with_even_rows(const std::array<Tensor, 3>& qkv,
                                         const std::vector<Position>& positions,
                                         AttentionOptions options, Masking masking);

/// b_h[r(i,j)], [B|1, H, Q, K]: a score table as attention reads it.
Tensor score_of_pairs(const Terms& terms, const RelationMap& relation);

}  // namespace relbias::golden
