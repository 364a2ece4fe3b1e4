// SPDX-License-Identifier: Apache-2.0
// experiments/model/transformer: one pre-norm transformer block.
#include "experiments/model/transformer/block.h"

#include <ATen/ATen.h>

#include <cmath>

namespace relbias::experiments {

Tensor root_mean_square_norm(const Tensor& x, const Tensor& gain) {
  return at::rms_norm(x, gain.sizes(), gain, 1e-6);
}

Block::Block(const ModelConfig& config, const Initialiser& initial, Reads reads)
    : heads_(config.heads), dropout_(config.dropout) {
  const int64_t width = config.width, inner = config.mlp_ratio * width;
  const auto matrix = [&](const std::string& name, int64_t out, int64_t in) {
    const double deviation = 1.0 / std::sqrt(static_cast<double>(in));
    return register_parameter(name, initial.normal(name, {out, in}, deviation));
  };
  attention_gain_ = register_parameter("attention_gain", initial.constant({width}, 1.0));
  qkv_ = matrix("qkv", 3 * width, width);
  projection_ = matrix("projection", width, width);
  mlp_gain_ = register_parameter("mlp_gain", initial.constant({width}, 1.0));
  widen_ = matrix("widen", inner, width);
  narrow_ = matrix("narrow", width, inner);
  if (reads == Reads::itself) return;
  other_gain_ = register_parameter("other_gain", initial.constant({width}, 1.0));
  other_query_ = matrix("other_query", width, width);
  other_key_value_ = matrix("other_key_value", 2 * width, width);
  other_projection_ = matrix("other_projection", width, width);
}

Tensor Block::attend(const Projected& heads, const std::vector<Position>& positions,
                     AttentionOptions options, const Watch& watch) {
  if (!is_training()) options.dropout = 0;
  if (watch.monitor != nullptr) {
    AttentionOptions seen = options;
    if (watch.valid.defined()) {
      const Tensor queries = watch.valid.unsqueeze(1).unsqueeze(3);  // [1, 1, N, 1]
      seen.mask = queries.expand({-1, -1, -1, watch.valid.size(1)});
    }
    watch.monitor->add(watch.layer, heads.q, heads.k, positions, seen, *watch.relation);
  }
  const auto result = attention(heads.q, heads.k, heads.v, positions, options);
  backend_ = result.backend;
  return joined_heads(result.out);
}

Tensor Block::mlp(const Tensor& x) const {
  return at::linear(at::linear(x, widen_).relu(), narrow_);
}

Tensor Block::forward(Tensor x, const std::vector<Position>& positions,
                      const AttentionOptions& attention, const OtherStream* other,
                      const Probe& probe, const Watch& watch) {
  TORCH_INTERNAL_ASSERT((other != nullptr) == other_query_.defined(),
                        "a second stream for a block that was built for one, and only for it");
  const bool training = is_training() && dropout_ > 0;
  const auto add = [&](const char* part, Tensor change) {
    if (training) change = at::dropout(change, dropout_, true);
    x = x + change;
    if (probe) probe(part, x);
  };
  const Projected own = projected(root_mean_square_norm(x, attention_gain_), qkv_, heads_);
  add("attention", at::linear(attend(own, positions, attention, watch), projection_));
  if (other != nullptr) {
    const Projected across = projected(root_mean_square_norm(x, other_gain_), other->tokens,
                                       other_query_, other_key_value_, heads_);
    add("other attention",
        at::linear(attend(across, other->positions, other->attention, {}), other_projection_));
  }
  add("mlp", mlp(root_mean_square_norm(x, mlp_gain_)));
  return x;
}

}  // namespace relbias::experiments
