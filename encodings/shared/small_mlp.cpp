// SPDX-License-Identifier: Apache-2.0
// encodings/shared: the two-layer perceptron that turns an offset into a bias.
#include "encodings/shared/small_mlp.h"

#include <ATen/ATen.h>

#include <cmath>

namespace relbias::encodings {

SmallMlp::SmallMlp(const MlpShape& shape, const Initialiser& initial) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(shape.in));
  const double deviation = 1.0 / std::sqrt(static_cast<double>(shape.hidden));
  first_ = register_parameter("first",
                              initial.uniform("first", {shape.hidden, shape.in}, -bound, bound));
  first_bias_ = register_parameter("first_bias",
                                   initial.uniform("first_bias", {shape.hidden}, -bound, bound));
  second_ =
      register_parameter("second", initial.normal("second", {shape.out, shape.hidden}, deviation));
}

at::Tensor SmallMlp::forward(const at::Tensor& x) const {
  return at::linear(at::linear(x.to(first_.scalar_type()), first_, first_bias_).relu(), second_);
}

}  // namespace relbias::encodings
