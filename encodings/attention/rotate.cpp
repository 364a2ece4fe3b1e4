// SPDX-License-Identifier: Apache-2.0
// encodings/attention: rotation of query and key channels in plain ATen.
#include "encodings/attention/rotate.h"

#include <ATen/ATen.h>

namespace relbias {
namespace {

Tensor rotated(const Tensor& x, const Tensor& cosine, const Tensor& sine, RotaryLayout layout) {
  const int64_t pairs = cosine.size(-1), width = x.size(3);
  const Tensor cos = cosine.to(x.scalar_type()), sin = sine.to(x.scalar_type());
  const Tensor turning = x.narrow(3, 0, 2 * pairs);
  Tensor first, second;
  if (layout == RotaryLayout::half) {
    first = turning.narrow(3, 0, pairs);
    second = turning.narrow(3, pairs, pairs);
  } else {
    const Tensor pairwise = turning.unflatten(3, {pairs, 2});
    first = pairwise.select(4, 0);
    second = pairwise.select(4, 1);
  }
  const Tensor x_out = first * cos - second * sin;
  const Tensor y_out = first * sin + second * cos;
  Tensor out = layout == RotaryLayout::half ? at::cat({x_out, y_out}, 3)
                                            : at::stack({x_out, y_out}, 4).flatten(3);
  if (2 * pairs < width) out = at::cat({out, x.narrow(3, 2 * pairs, width - 2 * pairs)}, 3);
  return out;
}

}  // namespace

void rotate(const Rotation& rotation, Tensor& q, Tensor& k) {
  q = rotated(q, rotation.query_cos, rotation.query_sin, rotation.layout);
  k = rotated(k, rotation.key_cos, rotation.key_sin, rotation.layout);
}

}  // namespace relbias
