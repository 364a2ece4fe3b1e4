// SPDX-License-Identifier: Apache-2.0
// experiments/model/transformer: one pre-norm transformer block.
#pragma once

#include <torch/nn/module.h>

#include "encodings/attention/attention.h"
#include "encodings/initialiser.h"
#include "experiments/model/model.h"
#include "experiments/model/monitor.h"
#include "experiments/model/transformer/projections.h"

namespace relbias::experiments {

/// Where a block's attention is watched; the relation gives the distances.
struct Watch {
  AttentionMonitor* monitor = nullptr;  // null: nobody looks
  int64_t layer = 0;
  const RelationMap* relation = nullptr;
  Tensor valid{};  // [1, N] bool: queries that are no padding; undefined: all
};

/// Called with the name and the output of every part, to find the first that is not finite.
using Probe = std::function<void(const std::string&, const Tensor&)>;

/// A second stream, which a block that was built for one reads after its own.
struct OtherStream {
  Tensor tokens;  // [B, M, C], normed
  /// How its tokens stand to those that read them; none unless the model relates the two.
  std::vector<Position> positions{};
  AttentionOptions attention{};  // never causal: the stream is there as a whole
};

/// x + attention(norm(x)), then, where there is a second stream, x + attention(norm(x), stream),
/// then x + mlp(norm(x)): RMSNorm with gain, ReLU, no biases, matrices from N(0, 1/fan-in).
class Block : public torch::nn::Module {
 public:
  enum class Reads { itself, another_too };

  Block(const ModelConfig& config, const Initialiser& initial, Reads reads = Reads::itself);

  Tensor forward(Tensor x,  // [B, N, C]
                 const std::vector<Position>& positions, const AttentionOptions& attention,
                 const Probe& probe, const Watch& watch) {
    return forward(std::move(x), positions, attention, nullptr, probe, watch);
  }
  Tensor forward(Tensor x, const std::vector<Position>& positions,
                 const AttentionOptions& attention, const OtherStream* other, const Probe& probe,
                 const Watch& watch);

  Backend backend() const { return backend_; }

 private:
  Tensor attend(const Projected& heads, const std::vector<Position>& positions,
                AttentionOptions options, const Watch& watch);
  Tensor mlp(const Tensor& x) const;

  int64_t heads_;
  double dropout_;
  Backend backend_ = Backend::reference;
  Tensor attention_gain_, mlp_gain_;  // [C]
  Tensor qkv_;                        // [3C, C]
  Tensor projection_;                 // [C, C]
  // of the second stream; undefined where the block reads none
  Tensor other_gain_;                                        // [C]
  Tensor other_query_, other_key_value_, other_projection_;  // [C, C], [2C, C], [C, C]
  Tensor widen_, narrow_;                                    // [4C, C], [C, 4C]
};

/// x / rms(x) * gain over the last dimension.
Tensor root_mean_square_norm(const Tensor& x,  // [.., C]
                             const Tensor& gain);

}  // namespace relbias::experiments
