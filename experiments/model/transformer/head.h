// SPDX-License-Identifier: Apache-2.0
// experiments/model/transformer: one output head a question.
#pragma once

#include <torch/nn/module.h>

#include "encodings/attention/attention.h"
#include "encodings/initialiser.h"
#include "experiments/model/model.h"

namespace relbias::experiments {

/// What the blocks hand to the heads. The class token, where there is one, stands first.
struct Encoded {
  Tensor tokens;  // [B, N, C], normed
  Tensor valid;   // [B, N] bool; undefined: all
  bool class_token = false;
  std::vector<Position> positions;  // of a pointer's own scores
};

/// The answer to one question.
///   category  logits x W^T, [B, T, outputs]
///   number    x w + b, [B, T], in units of the training targets' deviation
///   pointer   sum over heads of q_i.k_j / sqrt(D) and position terms, as attention scores,
///             [B, T, N]; tokens that may not be pointed at have the lowest finite score
/// For a question about the sample x is the mean or the maximum over its pooled tokens, or the
/// class token (`model.readout`); a pointer from it has no place, hence no position terms.
class Head : public torch::nn::Module {
 public:
  /// `tied` is the table of input embeddings that serves as W; undefined: W is the head's own.
  Head(const Question& question, const ModelConfig& config, const Tensor& tied,
       const Initialiser& initial);

  Tensor forward(const Encoded& x, const Answers& answers, const AttentionOptions& attention) const;

  const Question& question() const { return question_; }

 private:
  Tensor sample(const Encoded& x, const Answers& answers) const;
  Tensor pointer(const Encoded& x, const Answers& answers, const AttentionOptions& attention) const;
  Tensor split_heads(const Tensor& x, const Tensor& matrix) const;

  const Question question_;
  const std::string readout_;
  const int64_t heads_;
  Tensor weight_;       // [outputs, C]; number: [1, C]
  Tensor bias_;         // number: [1]
  Tensor query_, key_;  // pointer: [C, C]
};

}  // namespace relbias::experiments
