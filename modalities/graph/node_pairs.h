// SPDX-License-Identifier: Apache-2.0
// modalities/graph: what the relations of node pairs share: graphs written as options, virtual
// nodes, ids of special pairs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "modalities/relation.h"

namespace relbias::modalities {

/// The ids that stand behind those of distances, in this order. Only graphs with a virtual node,
/// which stands before the nodes, use the last three.
enum SpecialPair : int64_t { unreachable, virtual_to_node, node_to_virtual, virtual_to_virtual };
std::vector<std::string> special_pairs();

/// `edges=0-1,1-2:2.5 nodes=4 virtual_node=true`: the options that describe a graph.
std::vector<OptionSpec> graph_options();

/// The graph that they describe; without `edges` and `nodes` a small example, the path 0-1-2-3 with
/// node 4 at node 1 and node 5 apart. Throws InputError where sizes from outside disagree.
Structure written_graph(const Options& options, std::optional<int64_t> queries,
                        std::optional<int64_t> keys);

/// Throws InputError unless the tokens of the sample are the nodes of its graph, all of them
/// queries and keys, with a virtual node before them where the options ask for one.
void check_node_tokens(const Structure& sample, const Options& options);

/// Which special pair each of `rows` ids is, -1: none; the special ones begin at `first`. [R] int64
Tensor special_rows(int64_t first, int64_t rows);

/// Ids of node pairs, [N, N], as [1, K, K], with the row and the column of a virtual node where the
/// sample has one. The id of `unreachable` is `first`, the others follow.
Tensor with_virtual_node(const Tensor& ids, const Structure& sample, int64_t first);

/// Ids of pairs told apart by component alone: 0 within one, 1 between two; then those of a virtual
/// node. [1, K, K]
Tensor component_ids(const Structure& sample);

/// Features [N, N, F] as [1, K, K, F], or coordinates [N, A] as [1, K, A]: zero for a virtual node.
Tensor with_virtual_zeros(const Tensor& values, const Structure& sample, int64_t token_dims);

/// What `compute` gives, kept with the sample where it can keep it.
Tensor cached(const Structure& sample, const std::string& what,
              const std::function<Tensor()>& compute);

}  // namespace relbias::modalities
