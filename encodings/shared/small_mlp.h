// SPDX-License-Identifier: Apache-2.0
// encodings/shared: the two-layer perceptron that turns an offset into a bias.
#pragma once

#include <torch/nn/module.h>

#include "encodings/initialiser.h"

namespace relbias::encodings {

struct MlpShape {
  int64_t in, hidden, out;
};

/// W2 relu(W1 x + b1), no bias at the output: a constant bias per head changes no softmax. W1 and
/// b1 from U(-1/sqrt(in), 1/sqrt(in)), W2 from N(0, 1/hidden).
class SmallMlp : public torch::nn::Module {
 public:
  SmallMlp(const MlpShape& shape, const Initialiser& initial);
  at::Tensor forward(const at::Tensor& x) const;  // [.., in] -> [.., out]

 private:
  at::Tensor first_, first_bias_, second_;
};

}  // namespace relbias::encodings
