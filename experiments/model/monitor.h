// SPDX-License-Identifier: Apache-2.0
// experiments/model: what is watched of attention: entropy, reach, size of the position term.
#pragma once

#include <vector>

#include "encodings/attention/attention.h"

namespace relbias::experiments {

/// Sums over what one layer's attention did, a head each. Distances are binned 0, 1, 2-3, 4-7, ...;
/// the last bin holds pairs without a distance.
struct AttentionSums {
  static constexpr int64_t bins = 18;

  Tensor entropy;     // [H] sum over rows, nats
  Tensor share;       // [H, bins] attention spent
  Tensor minimum;     // [H] of the position term over the allowed pairs
  Tensor maximum;     // [H]
  Tensor squares;     // [H] sum of its squares
  int64_t rows = 0;   // with at least one key
  int64_t pairs = 0;  // allowed
};

/// Watches the attention of every layer while a model reads samples, one at a time: the block in
/// which weights [H, Q, K] are held.
class AttentionMonitor {
 public:
  explicit AttentionMonitor(int64_t layers) : layers_(static_cast<size_t>(layers)) {}

  /// The most that its matrices [H, Q, K] may take, bytes: attention itself may need none of them.
  static constexpr int64_t most_bytes = int64_t{1} << 30;

  /// One sample's attention; `relation` gives the distances. Throws InputError before anything is
  /// allocated where that takes more than most_bytes: 4 heads of 2,896 tokens.
  void add(int64_t layer, const Tensor& q,  // [1, H, Q, D]
           const Tensor& k,                 // [1, H, K, D]
           const std::vector<Position>& positions, const AttentionOptions& options,
           const RelationMap& relation);

  const std::vector<AttentionSums>& layers() const { return layers_; }

 private:
  std::vector<AttentionSums> layers_;
};

}  // namespace relbias::experiments
