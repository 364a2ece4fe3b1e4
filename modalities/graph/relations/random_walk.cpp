// SPDX-License-Identifier: Apache-2.0
// modalities/graph: relation `random-walk`, where a walk from a node may be after some steps.
#include <ATen/ATen.h>

#include "modalities/graph/graph_structure.h"
#include "modalities/graph/node_pairs.h"
#include "modalities/graph/paths.h"

namespace relbias::modalities {
namespace {

/// features(i,j) = gain * (P, P^2, ..., P^k)[i, j], P = D^-1 A: the probability that a walk from i
/// is at j after 1..k steps, each along one of the edges at its node with equal chance (Ma et al.
/// 2023, GRIT, RRWP). `self=true` puts the walk of no steps in front, 1 where i = j, which `gain`
/// leaves as it is. `gain`: probabilities on larger graphs are small, and a linear map of them
/// learns too slowly to count; 40 is what telling circulant graphs apart takes. Edges have no
/// direction; repeated edges count as often as they stand, a self loop once. A walk that starts on
/// an isolated node is nowhere: zeros.
///
/// Triangle, 4 steps, gain 1:   staying        0    0.5   0.25   0.375
///                              to a neighbour 0.5  0.25  0.375  0.3125
///
/// Ids: 0 where a walk may lead, unreachable 1, virtual to node 2, node to virtual 3, virtual to
/// virtual 4; the features of the last four are zero.
class RandomWalk final : public Relation {
 public:
  explicit RandomWalk(const Options& options)
      : options_(options), steps_(options.integer("steps")), self_(options.flag("self")) {}

  RelationTraits traits() const override {
    return {.index_class = IndexClass::pairs,
            .ids = 5,
            .special_ids = special_pairs(),
            .features = features()};
  }

  RelationMap map(const Structure& sample) const override {
    check_node_tokens(sample, options_);
    check_pair_memory(sample, "the probabilities of relation random-walk", features(),
                      sizeof(float));
    RelationMap map;
    map.index_class = IndexClass::pairs;
    map.queries = map.keys = sample.keys;
    map.rows = 5;
    map.index = cached(sample, "components", [&] { return component_ids(sample); });
    map.special = special_rows(1, map.rows);
    map.features = cached(sample, options_.canonical(),
                          [&] { return with_virtual_zeros(probabilities(sample), sample, 2); });
    return map;
  }

  Structure structure(std::optional<int64_t> queries, std::optional<int64_t> keys) const override {
    return written_graph(options_, queries, keys);
  }

 private:
  int64_t features() const { return steps_ + (self_ ? 1 : 0); }

  Tensor probabilities(const Structure& sample) const {  // [N, N, k] float32
    check_graph(sample);
    const int64_t nodes = graph_of(sample).nodes;
    Tensor adjacency = at::zeros({nodes, nodes}, at::kDouble);
    auto* const cells = adjacency.data_ptr<double>();
    for (const auto& [from, to] : graph_of(sample).edges) {
      cells[from * nodes + to] += 1;
      if (from != to) cells[to * nodes + from] += 1;
    }
    const Tensor step = adjacency / adjacency.sum(1, /*keepdim=*/true).clamp_min(1);
    std::vector<Tensor> powers{step};
    while (static_cast<int64_t>(powers.size()) < steps_) {
      powers.push_back(at::matmul(powers.back(), step));
    }
    Tensor walks = at::stack(powers, 2) * options_.real("gain");
    if (self_) walks = at::cat({at::eye(nodes, at::kDouble).unsqueeze(2), walks}, 2);
    return walks.to(at::kFloat);
  }

  const Options options_;
  int64_t steps_;
  bool self_;
};

std::vector<OptionSpec> options() {
  std::vector<OptionSpec> specs = {
      {"steps", int64_t{8}, "the longest walk, k", {}, 1, 256},
      {"gain", 40.0, "factor on the probabilities", {}, 0.0},
      {"self", false, "the walk of no steps is a feature too, the first: 1 where i = j"}};
  for (auto& spec : graph_options()) specs.push_back(std::move(spec));
  return specs;
}

}  // namespace

RelationEntry relation_random_walk() {
  return {
      .summary =
          "probabilities that a random walk from node i is at node j after 1..steps steps, "
          "times gain",
      .example =
          "triangle, 4 steps, gain 1: staying 0 0.5 0.25 0.375, to a neighbour 0.5 0.25 "
          "0.375 0.3125",
      .options = options(),
      .make = [](const Options& given) { return std::make_unique<RandomWalk>(given); },
  };
}

}  // namespace relbias::modalities
