// SPDX-License-Identifier: Apache-2.0
// modalities/graph: shortest paths, degrees and components of a graph, by Boost.Graph.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "modalities/relation.h"

namespace relbias::modalities {

/// Throws InputError, naming graph and edge, where an edge has an end that is no node, a weight is
/// not from 0 to 1e18, or edges and their weights or features are not equally many.
void check_graph(const Structure& graph);

/// `graph 17`, or `a graph` where it has no name.
std::string_view graph_name(const Structure& graph);

/// One node and what lies between it and every other, -1: unreachable.
using HopRow = std::function<void(int64_t source, const std::vector<int32_t>& hops)>;
using WeightRow = std::function<void(int64_t source, const std::vector<double>& weights)>;

/// Breadth-first search from every node. `directed` edges lead from their first end to their second
/// only. Self loops and repeated edges change nothing. O(N (N + E)) time, O(N) memory.
void for_hops_of_every_node(const Structure& graph, bool directed, const HopRow& use);

/// The least sum of edge weights, by Dijkstra's search from every node.
void for_weights_of_every_node(const Structure& graph, bool directed, const WeightRow& use);

/// Steps from i to j, [N, N] int32, -1: unreachable. Path 0-1-2 and a node apart: row 0 = 0 1 2 -1.
Tensor hop_distances(const Structure& graph, bool directed);

/// The component of every node without regard to direction, numbered in the order of their first
/// nodes.
std::vector<int64_t> components(const Structure& graph);
int64_t component_count(const Structure& graph);

/// Ends of edges at every node; a self loop has both of its ends there.
std::vector<int64_t> degrees(const Structure& graph);
/// Edges that leave (0) or reach (1) every node.
std::vector<int64_t> directed_degrees(const Structure& graph, int end);

/// Bytes that N x N pairs take, `numbers` of `bytes_each` a pair: 500 nodes, 20 steps of 3 features
/// in 8 bytes are 120,000,000.
double pair_bytes(int64_t nodes, int64_t numbers, int64_t bytes_each);

/// The most that a relation may keep of one graph.
inline constexpr int64_t most_pair_bytes = int64_t{1} << 28;

/// Throws InputError before anything is allocated where that is more than `most_pair_bytes`: names
/// graph, nodes and bytes.
void check_pair_memory(const Structure& graph, std::string_view relation, int64_t numbers,
                       int64_t bytes_each);

/// The same before it is known which relation of the nodes is meant: none keeps less than a byte a
/// pair. Tasks refuse such graphs (above 16,384 nodes) before the training.
void check_any_pair_memory(const Structure& graph);

}  // namespace relbias::modalities
