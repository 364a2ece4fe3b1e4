// SPDX-License-Identifier: Apache-2.0
// encodings/attention/fused: one call of attention as tensors with gradients and a plan of how the
// kernel reads them.
#pragma once

#include <ATen/ATen.h>
#include <torch/custom_class.h>

#include <vector>

#include "encodings/attention/attention.h"
#include "encodings/attention/fused/kernel.h"

namespace relbias::encodings::fused {

/// The ids of a relation's pairs, with the tensor that holds them.
struct PairIds {
  Tensor held;  // undefined: rows of a line
  Ids ids;
};

/// Which of a call's tensors plays which part; -1: none.
struct VectorParts {
  PairIds ids;
  int key = -1, query = -1, value = -1, position_bias = -1;
  int64_t rows = 0;
};
struct ScoreParts {
  PairIds ids;
  int score = -1;
};

/// What does not change between forward and backward.
struct Plan : torch::CustomClassHolder {
  double scale = 1;
  bool causal = false;
  int64_t window = 0;
  std::vector<Span> samples;  // [B], where padding leaves one stretch of keys; empty: no padding
  Tensor mask;                // [B|1, 1|H, Q, K] bool
  Tensor valid_keys;          // [B|1, K] bool, where padding leaves holes
  Tensor groups;              // [K] int32
  Tensor row_factor;          // [B, H, Q] float32
  int content_bias = -1;
  std::vector<ScoreParts> scores;
  std::vector<VectorParts> vectors;
};

/// Tensors with gradients: q, k, v first, then tables, float32, tables contiguous.
struct Call {
  std::vector<Tensor> tensors;
  c10::intrusive_ptr<Plan> plan;
};

Call call_of(const Tensor& q, const Tensor& k, const Tensor& v,
             const std::vector<Position>& positions, const AttentionOptions& options);

/// A call as far as the kernel's need of memory goes: sizes, and which parts there are.
Forward outline_of(const Tensor& q, const Tensor& k, const Tensor& v,
                   const std::vector<Position>& positions, const AttentionOptions& options);

/// What forward hands to backward: the output, and highest and part of kernel.h.
struct Saved {
  Tensor out, highest, part;
};

/// The kernel's view of a call; valid while the tensors live.
Forward forward_of(const Plan& plan, const std::vector<Tensor>& tensors, const Saved& saved);

}  // namespace relbias::encodings::fused
