// SPDX-License-Identifier: Apache-2.0
// modalities/code: samples of unlike length, one by one, and the batch they make.
#pragma once

#include "modalities/modality.h"

namespace relbias::modalities {

/// The answers to one question about one sample; shapes as in Answers, without the batch.
struct ExampleAnswers {
  std::vector<int64_t> targets;     // [N], or [1] about the sample
  std::vector<uint8_t> scored;      // as targets
  std::vector<uint8_t> candidates;  // [N]; empty: all tokens
  std::vector<uint8_t> pooled;      // [N]; empty: all tokens
  std::vector<int64_t> guesses;     // as targets; empty: none
};

struct Example {
  std::vector<int64_t> inputs;  // [N * features]
  std::vector<ExampleAnswers> answers;
  Structure structure;   // keys = N
  std::string source{};  // as in Batch
};

/// Pads on the right to the longest example. With `features` 1 inputs are [B, N], else [B, N, F].
Batch collate(const std::vector<Example>& examples, int64_t features, const TaskTraits& traits);

}  // namespace relbias::modalities
