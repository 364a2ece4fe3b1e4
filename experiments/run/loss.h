// SPDX-License-Identifier: Apache-2.0
// experiments/run: what training makes small.
#pragma once

#include <vector>

#include "modalities/modality.h"

namespace relbias::experiments {

/// Losses over the scored targets of one question, as what several processes can add: their mean is
/// sum / max(1, count).
struct LossSum {
  Tensor sum;    // [] float32
  Tensor count;  // [] int64

  Tensor mean() const;
};

/// Cross-entropy in nats of a category or pointer, smooth L1 of a number in units of its deviation.
/// 0, with gradient 0, where nothing is scored.
LossSum question_loss(const Question& question, const Tensor& output, const Answers& answers);

}  // namespace relbias::experiments
