// SPDX-License-Identifier: Apache-2.0
// encodings/attention/fused: what one call of the kernel reads and writes, in plain pointers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace relbias::encodings::fused {

/// A tensor [B, H, N, D] whose last stride is 1; strides in numbers.
template <class Number>
struct Strided {
  Number* data = nullptr;
  int64_t batch = 0, head = 0, token = 0;

  Number* at(int64_t b, int64_t h) const { return data + b * batch + h * head; }
};

/// The table row of every pair: data[b * batch + i * query + j], in `bytes` a row (uint8, uint16 or
/// int32). Without data it is j - i + Q - 1, and rows of one query lie side by side. A line of ids
/// that depend on j - i is written once, of Q + K - 1 numbers, and walked with query = -1.
struct Ids {
  const void* data = nullptr;
  int64_t bytes = 0, batch = 0, query = 0;
};

/// One score table b of terms.h.
struct ScoreSource {
  Ids ids;
  int64_t rows = 0;              // R
  const float* table = nullptr;  // [H, R]
};

/// The vector tables of one relation, each null where it is not there.
struct VectorSource {
  Ids ids;
  int64_t rows = 0;                      // T
  const float* key = nullptr;            // A [H, T, D]
  const float* query = nullptr;          // P [H, T, D]
  const float* value = nullptr;          // V [H, T, Dv]
  const float* position_bias = nullptr;  // v [H, D]
};

/// Where a byte is not 0 may attend; strides 0 where one serves all.
struct MaskBytes {
  const uint8_t* data = nullptr;
  int64_t batch = 0, head = 0, query = 0;
};

/// Tokens first .. last, without the last.
struct Span {
  int64_t first = 0, last = 0;
};

/// Which keys a query may attend; all parts together. What lies in one stretch of keys costs
/// nothing and is skipped in blocks; bytes and groups are looked up a pair.
struct Allowed {
  bool causal = false;              // the last query stands at the last key
  int64_t window = 0;               // keys less than so many tokens away; 0: any
  const Span* samples = nullptr;    // [B]: other keys are padding; null: none is
  MaskBytes pairs, keys;            // the second of keys alone, one row a sample
  const int32_t* groups = nullptr;  // [K]: -1 is in all; null: one group
};

struct Shape {
  int64_t batch = 0, heads = 0, queries = 0, keys = 0;
  int64_t width = 0, value_width = 0;  // D of q and k, of v
};

/// score and out as in terms.h, without rotation and dense terms.
struct Forward {
  Shape shape;
  Strided<const float> q, k, v;
  float scale = 1;
  Allowed allowed;
  const float* row_factor = nullptr;    // [B, H, Q], of the whole score; null: 1
  const float* content_bias = nullptr;  // u [H, D]
  std::vector<ScoreSource> scores;
  std::vector<VectorSource> vectors;
  Strided<float> out;  // [B, H, Q, Dv]
  // [B, H, Q] of the softmax in base 2, P = 2^(s - highest) * part; +inf and 0 without a key. Two
  // numbers, since the rounding of their one logarithm would be the largest error of all.
  float *highest = nullptr, *part = nullptr;
};

/// Gradients of the tables of one unit of a head, each [units of a head, H, ...].
struct VectorGradients {
  float *key = nullptr, *query = nullptr, *value = nullptr, *position_bias = nullptr;
};

/// The keys that query i of sample b may attend, as far as they lie in one stretch; both ends grow
/// with i.
inline Span keys_of(const Forward& call, int64_t b, int64_t i) {
  const Allowed& allowed = call.allowed;
  const int64_t token = i + call.shape.keys - call.shape.queries;
  const Span all = allowed.samples != nullptr ? allowed.samples[b] : Span{0, call.shape.keys};
  int64_t first = all.first, last = all.last;
  if (allowed.causal) last = std::min(last, token + 1);
  if (allowed.window > 0) {
    first = std::clamp(token - allowed.window + 1, first, all.last);
    last = std::min(last, token + allowed.window);
  }
  return {first, std::max(first, last)};
}

struct Backward {
  Forward forward;                    // its out, highest and part as computed
  Strided<const float> out_gradient;  // [B, H, Q, Dv]
  Strided<float> q_gradient, k_gradient, v_gradient;
  // One a source, [units of a head, H, R]; null, here and below: not asked for.
  std::vector<float*> score_gradients;
  std::vector<VectorGradients> vector_gradients;
  float* content_bias_gradient = nullptr;  // [units of a head, H, D]
};

/// Samples of one head that are worked on together, so that ids of a grid are looked up once for
/// all of them. It depends on the call alone: sums have one order whatever the number of threads.
int64_t samples_of_unit(const Forward& call);
/// Units of a call, H * ceil(B / samples_of_unit), independent of each other.
int64_t units_of(const Forward& call);
int64_t units_of_head(const Forward& call);

/// Numbers that a thread keeps at hand for a unit.
int64_t room_of(const Forward& call, bool gradients);

void forward_unit(const Forward& call, int64_t unit);
void backward_unit(const Backward& call, int64_t unit);

}  // namespace relbias::encodings::fused
