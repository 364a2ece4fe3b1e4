// SPDX-License-Identifier: Apache-2.0
// experiments/model/transformer: one pre-norm transformer block.
#include "experiments/model/transformer/block.h"

#include <ATen/ATen.h>

#include <cmath>

namespace relbias::experiments {

Tensor root_mean_square_norm(const Tensor& x, const Tensor& gain) {
  return at::rms_norm(x, gain.sizes(), gain, 1e-6);
}

Block::Block(const ModelConfig& config, const Initialiser& initial)
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
}

Tensor Block::attend(const Tensor& x, const std::vector<Position>& positions,
                     AttentionOptions options, const Watch& watch) {
  if (!is_training()) options.dropout = 0;
  const auto qkv = at::linear(x, qkv_)
                       .unflatten(2, {3, heads_, x.size(2) / heads_})
                       .permute({2, 0, 3, 1, 4})  // [3, B, H, N, D]
                       .unbind(0);
  if (watch.monitor != nullptr) {
    AttentionOptions seen = options;
    if (watch.valid.defined()) {
      const Tensor queries = watch.valid.unsqueeze(1).unsqueeze(3);  // [1, 1, N, 1]
      seen.mask = queries.expand({-1, -1, -1, watch.valid.size(1)});
    }
    watch.monitor->add(watch.layer, qkv[0], qkv[1], positions, seen, *watch.relation);
  }
  const auto result = attention(qkv[0], qkv[1], qkv[2], positions, options);
  backend_ = result.backend;
  return at::linear(result.out.transpose(1, 2).flatten(2), projection_);
}

Tensor Block::mlp(const Tensor& x) const {
  return at::linear(at::linear(x, widen_).relu(), narrow_);
}

Tensor Block::forward(Tensor x, const std::vector<Position>& positions,
                      const AttentionOptions& attention, const Probe& probe, const Watch& watch) {
  const bool training = is_training() && dropout_ > 0;
  const auto add = [&](const char* part, Tensor change) {
    if (training) change = at::dropout(change, dropout_, true);
    x = x + change;
    if (probe) probe(part, x);
  };
  add("attention", attend(root_mean_square_norm(x, attention_gain_), positions, attention, watch));
  add("mlp", mlp(root_mean_square_norm(x, mlp_gain_)));
  return x;
}

}  // namespace relbias::experiments
