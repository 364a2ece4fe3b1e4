// SPDX-License-Identifier: Apache-2.0
// modalities: batches as a whole.
#include "modalities/modality.h"

namespace relbias {

Batch Batch::each(const std::function<Tensor(const Tensor&)>& change) const {
  Batch changed = *this;
  const auto apply = [&](Tensor& tensor) {
    if (tensor.defined()) tensor = change(tensor);
  };
  apply(changed.inputs);
  apply(changed.valid);
  for (Answers& answer : changed.answers) {
    apply(answer.targets);
    apply(answer.scored);
    apply(answer.candidates);
    apply(answer.pooled);
  }
  return changed;
}

}  // namespace relbias
