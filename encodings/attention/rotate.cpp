// SPDX-License-Identifier: Apache-2.0
// encodings/attention: rotation of query and key channels in plain ATen.
#include "encodings/attention/rotate.h"

#include <ATen/ATen.h>

namespace relbias::encodings {
namespace {

Tensor rotated(const Tensor& x, const Tensor& cosine, const Tensor& sine,
               const Rotation& rotation) {
  const int64_t pairs = cosine.size(-1), width = x.size(3);
  const Tensor cos = cosine.to(x.scalar_type()), sin = sine.to(x.scalar_type());
  // Channels as [.., blocks, 2, pairs] or [.., blocks, pairs, 2]: one view for either layout.
  const bool half = rotation.layout == RotaryLayout::half;
  const int64_t side = half ? 4 : 5;  // the dimension of the two
  const std::vector<int64_t> split =
      half ? std::vector<int64_t>{rotation.blocks, 2, pairs / rotation.blocks}
           : std::vector<int64_t>{rotation.blocks, pairs / rotation.blocks, 2};
  const Tensor turning = x.narrow(3, 0, 2 * pairs).unflatten(3, split);
  const Tensor first = turning.select(side, 0).flatten(3);
  const Tensor second = turning.select(side, 1).flatten(3);
  const auto in_blocks = [&](const Tensor& channels) {
    return channels.unflatten(3, {rotation.blocks, pairs / rotation.blocks});
  };
  const Tensor out =
      at::stack({in_blocks(first * cos - second * sin), in_blocks(first * sin + second * cos)},
                side)
          .flatten(3);
  if (2 * pairs == width) return out;
  return at::cat({out, x.narrow(3, 2 * pairs, width - 2 * pairs)}, 3);
}

}  // namespace

void rotate(const Rotation& rotation, Tensor& q, Tensor& k) {
  q = rotated(q, rotation.query_cos, rotation.query_sin, rotation);
  k = rotated(k, rotation.key_cos, rotation.key_sin, rotation);
}

}  // namespace relbias::encodings
