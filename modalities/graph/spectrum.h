// SPDX-License-Identifier: Apache-2.0
// modalities/graph: the normalised Laplacian and coordinates made of its eigenvectors.
#pragma once

#include "modalities/relation.h"

namespace relbias::modalities {

/// L = I - D^-1/2 A D^-1/2, [N, N] float64, of the graph without directions, weights and repeated
/// edges; a self loop counts once in A. Rows of isolated nodes are zero. Path 0-1-2:
///
///      1     -0.7071   0
///     -0.7071  1      -0.7071
///      0     -0.7071   1
Tensor normalised_laplacian(const Structure& graph);

/// The eigenvectors of the `count` lowest eigenvalues that are not trivial (0, once a component),
/// [N, count] float32; zeros where there are fewer. Each is scaled by sqrt(N), so that its entries
/// are of order 1 whatever the size.
///
/// An eigenvector has no sign of its own. It gets the one that makes the sum of its third powers
/// positive, else of its fifth powers; where both vanish, as symmetry makes them, no rule that
/// ignores the order of the nodes can choose, and the entries' absolute values are taken. So the
/// coordinates move with the nodes under any relabelling. Vectors of a repeated eigenvalue span a
/// space in which none stands out: there, and only there, they depend on the order of the nodes.
///
/// Path 0-1-2, count 2: eigenvalues 1, 2; coordinates 1.2247 0 1.2247 (absolute: the ends are
/// alike) and 0.8660 -1.2247 0.8660, whose third powers sum to -0.54: turned into -0.8660 1.2247
/// -0.8660.
Tensor laplacian_coordinates(const Structure& graph, int64_t count);

}  // namespace relbias::modalities
