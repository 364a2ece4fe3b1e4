// SPDX-License-Identifier: Apache-2.0
// modalities/graph: eigenvectors of the normalised Laplacian with signs that do not depend on the
// order of the nodes.
#include "modalities/graph/spectrum.h"

#include <ATen/ATen.h>

#include <cmath>

#include "modalities/graph/graph_structure.h"
#include "modalities/graph/paths.h"

namespace relbias::modalities {
namespace {

Tensor signed_by_moments(const Tensor& vector) {  // [N], of unit length times sqrt(N)
  for (const int power : {3, 5}) {
    const double moment = vector.pow(power).mean().item<double>();
    if (std::abs(moment) > 1e-6) return moment > 0 ? vector : -vector;
  }
  return vector.abs();
}

}  // namespace

Tensor normalised_laplacian(const Structure& graph) {
  check_graph(graph);
  check_pair_memory(graph, "Laplacian eigenvectors", 1, sizeof(double));
  const int64_t count = graph_of(graph).nodes;
  Tensor adjacency = at::zeros({count, count}, at::kDouble);
  auto* const cells = adjacency.data_ptr<double>();
  for (const auto& [from, to] : graph_of(graph).edges) {
    cells[from * count + to] = cells[to * count + from] = 1;
  }
  const Tensor degree = adjacency.sum(1);
  const Tensor root = degree.clamp_min(1).rsqrt() * (degree > 0);
  return at::diag((degree > 0).to(at::kDouble)) - root.unsqueeze(1) * adjacency * root.unsqueeze(0);
}

Tensor laplacian_coordinates(const Structure& graph, int64_t count) {
  Tensor coordinates = at::zeros({graph_of(graph).nodes, count}, at::kFloat);
  const int64_t trivial = component_count(graph);
  const int64_t found = std::min(count, graph_of(graph).nodes - trivial);
  if (found <= 0) return coordinates;
  const auto [values, vectors] = at::linalg_eigh(normalised_laplacian(graph));
  const double scale = std::sqrt(static_cast<double>(graph_of(graph).nodes));
  for (int64_t n = 0; n < found; ++n) {
    coordinates.select(1, n).copy_(signed_by_moments(vectors.select(1, trivial + n) * scale));
  }
  return coordinates;
}

}  // namespace relbias::modalities
