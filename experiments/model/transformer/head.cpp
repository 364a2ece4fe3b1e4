// SPDX-License-Identifier: Apache-2.0
// experiments/model/transformer: categories, numbers and pointers from encoded tokens.
#include "experiments/model/transformer/head.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

namespace relbias::experiments {
namespace {

// Without the class token.
Tensor real_tokens(const Encoded& x) {
  return x.class_token ? x.tokens.narrow(1, 1, x.tokens.size(1) - 1) : x.tokens;
}

Tensor real_valid(const Encoded& x) {
  if (!x.valid.defined() || !x.class_token) return x.valid;
  return x.valid.narrow(1, 1, x.valid.size(1) - 1);
}

// The tokens both allow, [B, N]; undefined: all.
Tensor both(const Tensor& a, const Tensor& b) {
  if (!a.defined()) return b;
  return b.defined() ? a.logical_and(b) : a;
}

}  // namespace

Head::Head(const Question& question, const ModelConfig& config, const Tensor& tied,
           const Initialiser& initial)
    : question_(question), readout_(config.readout), heads_(config.heads) {
  const int64_t width = config.width;
  const auto matrix = [&](const std::string& name, int64_t out) {
    const double deviation = 1.0 / std::sqrt(static_cast<double>(width));
    return register_parameter(name, initial.normal(name, {out, width}, deviation));
  };
  switch (question.kind) {
    case Question::Kind::category:
      weight_ = tied.defined() ? tied : matrix("output", question.outputs);
      break;
    case Question::Kind::number:
      weight_ = matrix("output", 1);
      bias_ = register_parameter("bias", initial.constant({1}, 0.0));
      break;
    case Question::Kind::pointer:
      query_ = matrix("query", width);
      key_ = matrix("key", width);
      break;
  }
}

Tensor Head::sample(const Encoded& x, const Answers& answers) const {
  if (readout_ == "class") return x.tokens.narrow(1, 0, 1);
  const Tensor tokens = real_tokens(x), pooled = both(real_valid(x), answers.pooled);
  const bool largest = readout_ == "max";
  if (!pooled.defined()) return largest ? tokens.amax(1, true) : tokens.mean(1, true);
  const Tensor others = pooled.logical_not().unsqueeze(2);
  if (largest) {
    return tokens.masked_fill(others, std::numeric_limits<float>::lowest()).amax(1, true);
  }
  const Tensor count = pooled.sum(1).clamp_min(1).view({-1, 1, 1});
  return tokens.masked_fill(others, 0.0).sum(1, true) / count;
}

Tensor Head::split_heads(const Tensor& x, const Tensor& matrix) const {
  return at::linear(x, matrix).unflatten(2, {heads_, x.size(2) / heads_}).transpose(1, 2);
}

Tensor Head::pointer(const Encoded& x, const Answers& answers,
                     const AttentionOptions& attention) const {
  Tensor scores, allowed = both(real_valid(x), answers.candidates);  // [B, N]
  if (allowed.defined()) allowed = allowed.unsqueeze(1);
  if (question_.about == Question::About::sample) {
    const Tensor q = split_heads(sample(x, answers), query_);
    const Tensor k = split_heads(real_tokens(x), key_);
    scores = at::matmul(q, k.transpose(2, 3)).sum(1) / std::sqrt(static_cast<double>(q.size(3)));
  } else {
    const Tensor q = split_heads(x.tokens, query_), k = split_heads(x.tokens, key_);
    const Tensor pairs = allowed_pairs(q.size(2), k.size(2), attention, q.device());
    scores = attention_scores(q, k, x.positions, attention, pairs).sum(1);
    const int64_t first = x.class_token, size = scores.size(2) - first;
    scores = scores.slice(1, first).slice(2, first);
    if (attention.causal) {
      const Tensor earlier = at::ones({1, size, size}, scores.options().dtype(at::kBool)).tril();
      allowed = both(allowed, earlier);
    }
  }
  if (!allowed.defined()) return scores;
  // Finite, so that a row without candidates, which nobody scores, has no NaN in its gradient.
  return scores.masked_fill(allowed.logical_not(), std::numeric_limits<float>::lowest());
}

Tensor Head::forward(const Encoded& x, const Answers& answers,
                     const AttentionOptions& attention) const {
  if (question_.kind == Question::Kind::pointer) return pointer(x, answers, attention);
  const Tensor input =
      question_.about == Question::About::sample ? sample(x, answers) : real_tokens(x);
  if (question_.kind == Question::Kind::category) return at::linear(input, weight_);
  return at::linear(input, weight_, bias_).squeeze(2);
}

}  // namespace relbias::experiments
