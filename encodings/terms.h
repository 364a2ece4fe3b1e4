// SPDX-License-Identifier: Apache-2.0
// encodings: the closed algebra of position terms that attention understands.
#pragma once

#include <functional>
#include <optional>

#include "modalities/relation.h"

namespace relbias::encodings {

/// Which two channels of a head form a pair that is rotated together.
enum class RotaryLayout {
  half,        // channel c with c + P, P = rotated / 2 (GPT-NeoX, Llama)
  interleaved  // channel 2c with 2c + 1 (RoFormer, GPT-J)
};

/// A rotation of query and key before their product: (x, y) -> (x cos - y sin, x sin + y cos) on
/// the first 2P channels of each head. Tables are float32 or better whatever the model's type.
struct Rotation {
  Tensor query_cos, query_sin;  // [B|1, H|1, Q, P]
  Tensor key_cos, key_sin;      // [B|1, H|1, K, P]
  RotaryLayout layout = RotaryLayout::half;
  int64_t blocks = 1;  // equal parts of the rotated channels, the layout applying inside each
  double base = 0;     // of the frequencies really used, for reports
};

/// What one encoding makes of one relation. With r = r(i,j) the id of the relation, head h computes
///
///     score(i,j) = scale * ( (q_i + u_h).k_j + (q_i + v_h).A_h[r] + k_j.P_h[r] ) + b_h[r]
///     out_i      = sum_j softmax_j(score) * ( v_j + V_h[r] )
///
/// Undefined tensors are terms that are not there. The set is closed: attention knows these and no
/// encoding by name.
struct Terms {
  Tensor score;          // b [H, R]     score table
  Tensor key;            // A [H, R, D]  key table
  Tensor query;          // P [H, R, D]  query table
  Tensor value;          // V [H, R, D]  value table
  Tensor content_bias;   // u [H, D]
  Tensor position_bias;  // v [H, D]
  std::optional<Rotation> rotation;
  /// Outside scale; the escape hatch for what depends on content or on the row. O(Q K) memory.
  /// (q [B, H, Q, D], k [B, H, K, D], mask [B|1, 1|H, Q, K] bool) -> [B|1, H, Q, K]
  std::function<Tensor(const Tensor& q, const Tensor& k, const Tensor& mask)> dense;
  /// Terms that share the content term's scale: it becomes 1/sqrt(D * (1 + scale_terms)) (DeBERTa).
  int64_t scale_terms = 0;
  /// On the scale of the content term, whichever that is (YaRN as DeepSeek-V2 has it).
  double scale_factor = 1;
  /// The row of the encoding's own table that each id uses, and that table's rows T. Where defined,
  /// A, P and V are compact, [H, T, D], and id r reads their row table_rows[r]; b always has R
  /// rows.
  Tensor table_rows;  // [R] int64; undefined: the encoding has no table
  int64_t table_size = 0;
};

/// One encoding on one relation; several add up.
struct Position {
  RelationMap relation;
  Terms terms;
};

}  // namespace relbias::encodings
