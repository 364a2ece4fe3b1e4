// SPDX-License-Identifier: Apache-2.0
// modalities/graph: padding on the right.
#include "modalities/graph/batch.h"
#include "modalities/graph/graph_structure.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace relbias::modalities {

Tensor padded_rows(const std::vector<Tensor>& samples) {
  int64_t size = 0;
  for (const Tensor& sample : samples) size = std::max(size, sample.size(0));
  std::vector<int64_t> shape = samples.front().sizes().vec();
  shape.front() = size;
  shape.insert(shape.begin(), static_cast<int64_t>(samples.size()));
  Tensor rows = at::zeros(shape, samples.front().options());
  for (size_t b = 0; b < samples.size(); ++b) {
    rows[static_cast<int64_t>(b)].narrow(0, 0, samples[b].size(0)).copy_(samples[b]);
  }
  return rows;
}

Tensor valid_rows(const std::vector<Structure>& samples) {
  std::vector<int64_t> nodes;
  for (const Structure& sample : samples) nodes.push_back(graph_of(sample).nodes);
  const auto [least, most] = std::minmax_element(nodes.begin(), nodes.end());
  if (*least == *most) return {};
  return at::arange(*most).unsqueeze(0) < at::tensor(nodes, at::kLong).unsqueeze(1);
}

}  // namespace relbias::modalities
