// SPDX-License-Identifier: Apache-2.0
// modalities/graph: relation `hops`, the steps on the shortest path between two nodes.
#include <ATen/ATen.h>

#include <cmath>

#include "modalities/graph/graph_structure.h"
#include "modalities/graph/node_pairs.h"
#include "modalities/graph/paths.h"
#include "modalities/graph/spectrum.h"

namespace relbias::modalities {
namespace {

/// r(i,j) = steps from i to j, at most `clip` = c: ids 0..c, then unreachable c+1, which clipping
/// leaves as it is, and, where the sample has a virtual node (it stands first), virtual to node
/// c+2, node to virtual c+3, virtual to virtual c+4. Only ids 0..c have a distance.
///
/// clip 3, path 0-1-2, node 3 isolated:   0 1 2 4     the same with a virtual node:  7 5 5 5 5
///                                        1 0 1 4                                    6 0 1 2 4
///                                        2 1 0 4                                    6 1 0 1 4
///                                        4 4 4 0                                    6 2 1 0 4
///                                                                                   6 4 4 4 0
/// `directed` steps lead from the first end of an edge to its second, i to j. `weighted` sums edge
/// weights w >= 0 along the lightest path and bins them: id = ceil(sum / bin), so that only pairs
/// at no distance have id 0 and unit weights in bins of 1 are hops; the distance of an id is then
/// id * bin. Samples that bring distances (Structure::hops) have no need of edges.
///
/// Coordinates of a node: the `coordinates` lowest non-trivial eigenvectors of the normalised
/// Laplacian (modalities/graph/spectrum.h); a virtual node stands at the origin. Vectors of a
/// repeated eigenvalue have no basis of their own, so that rope on a ring or a star depends on the
/// order of the nodes; relation `spectrum` does not.
class Hops final : public Relation {
 public:
  explicit Hops(const Options& options)
      : options_(options),
        clip_(options.integer("clip")),
        coordinates_(options.integer("coordinates")) {
    if (options.real("bin") != 1.0 && !options.flag("weighted")) {
      input_error("relation hops: bin={} found without weighted=true", options.real("bin"));
    }
    nodes_alone_ = tables(clip_ + 2);
    with_virtual_ = tables(clip_ + 2 + 3);
  }

  RelationTraits traits() const override {
    return {.index_class = IndexClass::pairs,
            .distance = true,
            .ids = clip_ + 2 + (options_.flag("virtual_node") ? 3 : 0),
            .special_ids = special_pairs(),
            .coordinates = coordinates_,
            .places = {"hops"}};
  }

  RelationMap map(const Structure& sample) const override {
    check_node_tokens(sample, options_);
    RelationMap map = sample.class_token ? with_virtual_ : nodes_alone_;
    map.queries = map.keys = sample.keys;
    map.index = cached(sample, options_.canonical(), [&] { return ids(sample); });
    if (coordinates_ == 0) return map;
    map.key_coordinates = cached(sample, fmt::format("coordinates {}", coordinates_), [&] {
      return with_virtual_zeros(laplacian_coordinates(with_edges(sample), coordinates_), sample, 1);
    });
    map.query_coordinates = map.key_coordinates;
    if (sample.class_token) map.unplaced = at::arange(sample.keys) == 0;
    return map;
  }

  Structure structure(std::optional<int64_t> queries, std::optional<int64_t> keys) const override {
    return written_graph(options_, queries, keys);
  }

 private:
  // What the ids mean, the same for every sample.
  RelationMap tables(int64_t rows) const {
    RelationMap map;
    map.index_class = IndexClass::pairs;
    map.rows = rows;
    map.special = special_rows(clip_ + 1, rows);
    const double unit = options_.flag("weighted") ? options_.real("bin") : 1.0;
    map.distance = (at::arange(rows, at::kFloat) * unit).masked_fill(map.special >= 0, 0.0);
    return map;
  }

  Tensor ids(const Structure& sample) const {
    const bool narrow = clip_ + 5 <= 256;
    check_pair_memory(sample, "the ids of relation hops", 1, narrow ? 1 : 2);
    Tensor ids = at::empty({graph_of(sample).nodes, graph_of(sample).nodes},
                           narrow ? at::kByte : at::kUInt16);
    if (narrow) {
      fill(sample, ids.data_ptr<uint8_t>());
    } else {
      fill(sample, ids.data_ptr<uint16_t>());
    }
    return with_virtual_node(ids, sample, clip_ + 1);
  }

  template <class Id>
  void fill(const Structure& sample, Id* first) const {
    const bool directed = options_.flag("directed");
    const auto clipped = [this](auto steps) {
      return static_cast<Id>(steps < 0 ? clip_ + 1 : std::min<int64_t>(clip_, steps));
    };
    const auto row = [&](int64_t source) { return first + source * graph_of(sample).nodes; };
    if (graph_of(sample).hops.defined() && options_.flag("weighted")) {
      input_error("relation hops weighted=true: {} has distances in steps, edge weights expected",
                  graph_name(sample));
    }
    if (graph_of(sample).hops.defined()) {
      const Tensor given = graph_of(sample).hops.contiguous();
      const auto* const hops = given.data_ptr<int64_t>();
      std::transform(hops, hops + given.numel(), first, clipped);
    } else if (!options_.flag("weighted")) {
      for_hops_of_every_node(sample, directed,
                             [&](int64_t source, const std::vector<int32_t>& hops) {
                               std::transform(hops.begin(), hops.end(), row(source), clipped);
                             });
    } else {
      check_weights(sample);
      for_weights_of_every_node(sample, directed,
                                [&](int64_t source, const std::vector<double>& weights) {
                                  std::transform(weights.begin(), weights.end(), row(source),
                                                 [&](double sum) { return clipped(bin_of(sum)); });
                                });
    }
  }

  // Where distances are given, the pairs at distance 1 are the edges.
  static Structure with_edges(const Structure& sample) {
    if (!graph_of(sample).hops.defined() || !graph_of(sample).edges.empty()) return sample;
    Structure joined = sample;
    const Tensor pairs = (graph_of(sample).hops == 1).nonzero();
    for (int64_t e = 0; e < pairs.size(0); ++e) {
      edit_graph(joined).edges.push_back(
          {pairs[e][0].item<int64_t>(), pairs[e][1].item<int64_t>()});
    }
    return joined;
  }

  // A sum of weights that meets the end of a bin but for rounding is inside it.
  int64_t bin_of(double sum) const {
    if (sum < 0) return -1;
    const double bins = std::ceil(sum / options_.real("bin") - 1e-9);
    return static_cast<int64_t>(std::min(bins, static_cast<double>(clip_)));
  }

  static void check_weights(const Structure& sample) {
    if (graph_of(sample).edge_weights.empty() && !graph_of(sample).edges.empty()) {
      input_error("relation hops weighted=true: {} has no edge weights", graph_name(sample));
    }
  }

  const Options options_;
  int64_t clip_;
  int64_t coordinates_;
  RelationMap nodes_alone_, with_virtual_;
};

std::vector<OptionSpec> options() {
  std::vector<OptionSpec> specs = {
      {"clip", int64_t{20}, "steps that are told apart", {}, 1, 30000},
      {"directed", false, "along the direction of the edges only"},
      {"weighted", false, "sums of edge weights, binned, instead of steps"},
      {"bin", 1.0, "width of a bin of weighted distances", {}, 1e-9},
      {"coordinates",
       int64_t{2},
       "Laplacian eigenvectors a node, for rope; 0: none. Where eigenvalues repeat, as on rings "
       "and "
       "stars, they depend on the order of the nodes; linear on relation spectrum does not",
       {},
       0,
       64}};
  for (auto& spec : graph_options()) specs.push_back(std::move(spec));
  return specs;
}

}  // namespace

RelationEntry relation_hops() {
  return {
      .summary =
          "steps on the shortest path from node i to node j, clipped; pairs without a path "
          "and those with a virtual node have ids of their own",
      .example = "clip 3, path 0-1-2, node 3 isolated: row 0 = 0 1 2 4, row 3 = 4 4 4 0",
      .options = options(),
      .make = [](const Options& given) { return std::make_unique<Hops>(given); },
  };
}

}  // namespace relbias::modalities
