// SPDX-License-Identifier: Apache-2.0
// encodings/shared: frequencies of rotary encodings and the ways of scaling them to longer inputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "encodings/encoding.h"

namespace relbias::encodings {

/// Rotated pairs of channels on every axis of a head: fraction * D / 2 / axes; 0 where that is not
/// a whole, positive number.
int64_t rotated_pairs(const Options& options, const EncodingContext& context);

struct RotaryFrequencies {
  Tensor inverse;     // [P] float64: the angle a step
  double factor = 1;  // on cos and sin
  double scale = 1;   // on the scores (Terms::scale_factor)
  double base = 0;    // after scaling
};

/// With w_c = base^(-2c/d), d = 2P channels, s = factor, N = trained, L = the keys there are now:
///
///     none         w_c
///     linear       w_c / s
///     ntk          base * s^(d/(d-2))
///     dynamic-ntk  base * (s L / N - (s - 1))^(d/(d-2)) where L > N, else as trained
///     yarn         w_c / s below `beta_slow` turns over N, w_c above `beta_fast`, a ramp between;
///                  cos and sin times attention_factor, 0.1 ln s + 1. With both mscale m and
///                  mscale_all_dim a, as DeepSeek-V2 has them, that is f(m) / f(a), f(x) = 0.1 x ln
///                  s + 1, and all scores are scaled by f(a)^2: s = 40, m = a = 0.707: 1, 1.5896
///     longrope     w_c / short_factor_c, or / long_factor_c where L > N; sqrt(1 + ln s / ln N)
///     llama3       w_c / s for waves longer than N / low_freq_factor, w_c for those shorter than
///                  N / high_freq_factor, a mixture between
///
/// Computed anew for every length: nothing survives a call.
RotaryFrequencies rotary_frequencies(const Options& options, const EncodingContext& context,
                                     int64_t length);

/// The options that both functions read.
std::vector<OptionSpec> rotary_options();

/// Why the options do not go together, or nothing.
std::optional<std::string> wrong_rotary_options(const Options& options,
                                                const EncodingContext& context);

}  // namespace relbias::encodings
