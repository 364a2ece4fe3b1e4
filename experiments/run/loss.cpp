// SPDX-License-Identifier: Apache-2.0
// experiments/run: losses as sums and counts.
#include "experiments/run/loss.h"

#include <ATen/ATen.h>

namespace relbias::experiments {
namespace {

constexpr int64_t not_scored = -100;  // the target that cross-entropy leaves out

}  // namespace

Tensor LossSum::mean() const { return sum / count.clamp_min(1); }

LossSum question_loss(const Question& question, const Tensor& output, const Answers& answers) {
  const Tensor scored = answers.scored;
  if (question.kind == Question::Kind::number) {
    const Tensor wanted =
        ((answers.targets - question.mean) / question.deviation).masked_fill(~scored, 0.0);
    const Tensor found = output.to(at::kFloat).masked_fill(~scored, 0.0);
    return {at::smooth_l1_loss(found, wanted.to(at::kFloat), at::Reduction::Sum), scored.sum()};
  }
  const Tensor targets = answers.targets.masked_fill(~scored, not_scored).flatten();
  return {at::cross_entropy_loss(output.flatten(0, 1).to(at::kFloat), targets, {},
                                 at::Reduction::Sum, not_scored),
          scored.sum()};
}

}  // namespace relbias::experiments
