// SPDX-License-Identifier: Apache-2.0
// encodings/attention: the one door to attention with position terms.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "encodings/terms.h"

namespace relbias::encodings {

/// Which implementation computes attention. Asking for one that cannot do it is an error, never a
/// silent fallback.
enum class Backend {
  automatic,  // the fastest that can do it; the result says which one ran
  reference,  // plain ATen, any type, any device: the specification
  fused       // kernels
};
Backend backend_from(const std::string& word);

/// The masks hold together; undefined or 0 restricts nothing. They travel as what they are, so that
/// a kernel can skip blocks: only `mask` grows with queries times keys, and only the reference
/// makes one tensor of all of them (allowed_pairs).
struct AttentionOptions {
  bool causal = false;
  Tensor mask;                  // [B|1, 1|H, Q, K] bool, true = may attend: any other pattern
  Tensor valid_keys{};          // [B|1, K] bool: keys that are no padding, on whichever side
  int64_t window = 0;           // keys less than so many tokens away; 0: any
  Tensor groups{};              // [K] int64: tokens attend within their group, those of -1 with all
  std::optional<double> scale;  // nothing: 1/sqrt(D * (1 + scale terms of the encodings))
  /// `length_scale = log`: row i's whole score times ln(n_i) / ln(N), with n_i the keys that the
  /// row may attend and N this number, those of the trained size (Su 2021; Nakanishi 2025).
  std::optional<int64_t> length_scale_keys;
  double dropout = 0;  // of the weights; 0 outside training
  Backend backend = Backend::automatic;
  bool return_weights = false;
};

struct AttentionResult {
  Tensor out;                            // [B, H, Q, D of v]
  Tensor weights;                        // [B, H, Q, K], before dropout; undefined unless asked for
  Backend backend = Backend::reference;  // what ran
};

/// softmax(scale * (q k^T + position terms), over the allowed keys) v, exactly as terms.h has it.
///
/// The last query stands at the last key: with Q = 3, K = 5 a causal query i attends keys 0..i+2.
/// Order: content score and position terms, then mask, then softmax. Masks are joined as booleans.
/// A row without an allowed key gives zeros and zero gradients. What stands in q, k and v where
/// nothing may attend, NaN included, reaches neither outputs nor gradients. Throws InputError where
/// shapes disagree.
AttentionResult attention(const Tensor& q,  // [B, H, Q, D]
                          const Tensor& k,  // [B, H, K, D]
                          const Tensor& v,  // [B, H, K, Dv]
                          const std::vector<Position>& positions, const AttentionOptions& options);

/// The pairs that may attend, [B|1, 1|H, Q, K] bool; undefined where all may. Query i of Q is token
/// K - Q + i.
Tensor allowed_pairs(int64_t queries, int64_t keys, const AttentionOptions& options,
                     c10::Device device);

/// The scale of the content term: as asked, or 1/sqrt(D * (1 + scale terms)); in either case times
/// the factors that encodings put on it (Terms::scale_factor).
double attention_scale(int64_t head_width, const std::vector<Position>& positions,
                       const AttentionOptions& options);

/// The scores before mask and softmax, content and position terms together, [B, H, Q, K] in float32
/// or better. `allowed` as allowed_pairs gives it.
Tensor attention_scores(const Tensor& q, const Tensor& k, const std::vector<Position>& positions,
                        const AttentionOptions& options, const Tensor& allowed);

}  // namespace relbias::encodings
