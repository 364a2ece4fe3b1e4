// SPDX-License-Identifier: Apache-2.0
// tests/golden/graph: `table` on hops, `linear` on edges and degrees of nodes against Graphormer.
#include <ATen/ATen.h>

#include "experiments/model/transformer/embedding.h"
#include "modalities/graph/graph_structure.h"
#include "modalities/graph/paths.h"
#include "tests/golden/golden_test.h"

namespace relbias::golden {
namespace {

class GraphormerGraph : public GoldenTest {
 protected:
  // Its edges have a direction; those of undirected graphs stand both ways.
  Structure graph() const {
    const Tensor edges = golden.read("in/edge_index");
    Structure graph;
    edit_graph(graph).nodes = graph.queries = graph.keys = golden.integer("num_nodes");
    for (int64_t e = 0; e < edges.size(1); ++e) {
      edit_graph(graph).edges.push_back({edges[0][e].item<int64_t>(), edges[1][e].item<int64_t>()});
    }
    edit_graph(graph).edge_features = golden.read("in/edge_attr").to(at::kFloat);
    return graph;
  }
};

TEST_P(GraphormerGraph, HasTheSameDistancesDegreesAndPaths) {
  const Structure sample = graph();
  const Tensor hops = hop_distances(sample, true).to(at::kLong);
  // Distance + 1, 0 being padding, and 510 for no path.
  const Tensor published = golden.read("out/spatial_pos") - 1;
  EXPECT_TRUE(at::equal(hops.masked_fill(hops < 0, 510), published));
  // "in" and "out" are both the edges that leave, counted from 1; loops count.
  const Tensor leaving = at::tensor(directed_degrees(sample, 0), at::kLong) + 1;
  EXPECT_TRUE(at::equal(leaving, golden.read("out/in_degree")));
  EXPECT_TRUE(at::equal(leaving, golden.read("out/out_degree")));

  // Where one path is shortest there is no choice: features step by step, times the steps.
  const Tensor paths = golden.read("out/input_edges_first8");  // [N, N, steps, 2]
  const int64_t steps = paths.size(2);
  if (steps == 0) return;
  const Tensor adjacency = (hops == 1).to(at::kDouble);
  Tensor count = at::zeros_like(adjacency), walks = at::eye(graph_of(sample).nodes, at::kDouble);
  for (int64_t n = 0; n <= steps; ++n, walks = at::matmul(walks, adjacency)) {
    count = at::where(hops == n, walks, count);
  }
  for (const char* rule : {"one", "all"}) {
    const auto relation =
        make_relation(fmt::format("edges directed=true features=2 steps={} paths={}", steps, rule));
    const Tensor mean = relation->map(sample).features[0].view(paths.sizes());
    const Tensor sum =
        mean * hops.clamp(0, steps).view({graph_of(sample).nodes, graph_of(sample).nodes, 1, 1});
    // Values are shifted by 3, those of the second feature by 512 more; 0: no edge.
    const Tensor shift = at::tensor({3.0, 515.0});
    const Tensor expected = at::where(paths > 0, paths.to(at::kDouble) - shift, 0.0);
    const Tensor unique = (count == 1).view({graph_of(sample).nodes, graph_of(sample).nodes, 1, 1});
    expect_close(rule, sum.to(at::kDouble) * unique, expected * unique, 1e-6);
  }
}
RELBIAS_GOLDEN_TESTS(GraphormerGraph, cases("graphormer_hf4", "preprocess/"));

class GraphormerBias : public GoldenTest {
 protected:
  // Ids of our `hops` for its distances + 1, with the graph token before the nodes and a last id
  // for padding, which has no bias there.
  RelationMap hops(int64_t clip) const {
    const Tensor distance = golden.read("in/spatial_pos") - 1;  // [B, N, N]
    std::vector<RelationMap> samples;
    const auto relation = make_relation(fmt::format("hops clip={} coordinates=0", clip));
    for (int64_t b = 0; b < distance.size(0); ++b) {
      Structure sample;
      edit_graph(sample).nodes = (distance[b].diagonal() == 0).sum().item<int64_t>();
      sample.queries = sample.keys = graph_of(sample).nodes + 1;
      sample.class_token = true;
      const Tensor real =
          distance[b].narrow(0, 0, graph_of(sample).nodes).narrow(1, 0, graph_of(sample).nodes);
      edit_graph(sample).hops = real.masked_fill(real == 510, -1);
      samples.push_back(relation->map(sample));
    }
    RelationMap map = stack(samples, distance.size(1) + 1);
    const Tensor padding = at::constant_pad_nd(distance < 0, {1, 0, 1, 0}).to(at::kBool);
    map.index = map.index.masked_fill(padding, map.rows);
    // The graph token's row and column go on over padding.
    map.index.select(1, 0).narrow(1, 1, distance.size(1)).fill_(clip + 2);
    map.index.select(2, 0).narrow(1, 1, distance.size(1)).fill_(clip + 3);
    ++map.rows;
    map.special = map.distance = Tensor();
    return map;
  }

  Tensor distance_bias(int64_t heads) {
    const int64_t clip = 20;
    const RelationMap map = hops(clip);
    const Tensor spatial = golden.w("spatial_pos_encoder.weight").t();  // [H, 512]
    const Tensor token = golden.w("graph_token_virtual_distance.weight").t().expand({heads, 3});
    const Tensor table = at::cat({spatial.narrow(1, 1, clip + 1), spatial.narrow(1, 511, 1), token,
                                  at::zeros({heads, 1}, at::kDouble)},
                                 1);
    const auto encoding = make("table", {.heads = heads, .head_width = 4}, map);
    set(*encoding, "table", table);
    return score_of_pairs(encoding->terms(map), map);
  }

  // Row 0 is padding there and has no gradient.
  Tensor embedded(const Tensor& ids) {
    const Tensor rows = golden.w("edge_encoder.weight").index_select(0, ids.flatten());
    return (rows.view({-1, ids.size(-1), rows.size(1)}) * (ids > 0).view({-1, ids.size(-1), 1}))
        .mean(1);
  }

  Tensor linear_bias(const Tensor& features, const Tensor& weight) {  // [B, N, N, F], [H, F]
    RelationMap map;
    map.index_class = IndexClass::pairs;
    map.queries = map.keys = features.size(1);
    map.rows = 1;
    map.index = at::zeros(features.sizes().slice(0, 3), at::kLong);
    map.features = features;
    const auto encoding = make("linear", {.heads = weight.size(0), .head_width = 4}, map);
    set(*encoding, "weight", weight);
    // By the parameter itself where it comes from leaves, so that both gradients are taken.
    const Tensor bias = encoding->terms(map).dense({}, {}, {});
    return at::constant_pad_nd(bias, {1, 0, 1, 0});
  }

  Tensor edge_bias(int64_t heads) {
    const Tensor distance = golden.read("in/spatial_pos");
    const int64_t batch = distance.size(0), nodes = distance.size(1);
    if (golden.word("edge_type") != "multi_hop") {
      const Tensor features = embedded(golden.read("in/attn_edge_type").view({-1, 2}));
      return linear_bias(features.view({batch, nodes, nodes, heads}), at::eye(heads, at::kDouble));
    }
    const Tensor paths = golden.read("in/input_edges");  // [B, N, N, L, 2]
    const int64_t steps = std::min(golden.integer("multi_hop_max_dist"), paths.size(3));
    const Tensor first = paths.narrow(3, 0, steps);
    const Tensor length = (distance - 1).clamp(1, golden.integer("multi_hop_max_dist"));
    const Tensor features =
        embedded(first.reshape({-1, 2})).view({batch, nodes, nodes, steps * heads}) /
        length.unsqueeze(3);
    // A matrix a step there, [from, to] heads.
    const Tensor weight = golden.w("edge_dis_encoder.weight")
                              .view({-1, heads, heads})
                              .narrow(0, 0, steps)
                              .flatten(0, 1)
                              .t();
    return linear_bias(features, weight);
  }
};

TEST_P(GraphormerBias, EqualsThePackage) {
  const int64_t heads = golden.integer("num_heads");
  // What comes in is added twice there; it is -inf for nodes too far apart.
  const Tensor given = 2 * golden.read("in/attn_bias").unsqueeze(1).expand({-1, heads, -1, -1});
  const Tensor bias = given + distance_bias(heads) + edge_bias(heads);
  expect({{"graph_attn_bias", at::where(at::isinf(given), given, bias)}});
}
RELBIAS_GOLDEN_TESTS(GraphormerBias, cases("graphormer_hf4", "attn_bias/"));

class GraphormerNodes : public GoldenTest {};

// Atom and two degrees are three ids a node, whose rows of one table add up.
TEST_P(GraphormerNodes, EqualThePackage) {
  const Tensor atoms = golden.w("atom_encoder.weight"), in = golden.w("in_degree_encoder.weight");
  const Tensor out = golden.w("out_degree_encoder.weight"), token = golden.w("graph_token.weight");
  Embedding embedding({.vocabulary = atoms.size(0) + in.size(0) + out.size(0)}, atoms.size(1),
                      /*class_token=*/true, Initialiser(0));
  embedding.to(at::kDouble);
  set(embedding, "table", at::cat({atoms, in, out}));
  set(embedding, "class_token", token.squeeze(0));
  const Tensor ids = at::cat(
      {golden.read("in/input_nodes"), golden.read("in/in_degree").unsqueeze(2) + atoms.size(0),
       golden.read("in/out_degree").unsqueeze(2) + atoms.size(0) + in.size(0)},
      2);
  const Tensor padding =
      at::constant_pad_nd(golden.read("in/input_nodes").squeeze(2) == 0, {1, 0}).to(at::kBool);
  expect({{"x", embedding.forward(ids).masked_fill(padding.unsqueeze(2), 0.0)}});
}
RELBIAS_GOLDEN_TESTS(GraphormerNodes, cases("graphormer_hf4", "node_feature/"));

}  // namespace
}  // namespace relbias::golden
