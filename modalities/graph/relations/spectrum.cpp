// SPDX-License-Identifier: Apache-2.0
// modalities/graph: relation `spectrum`, what a graph's Laplacian says of two nodes, whatever the
// basis of its eigenvectors.
#include "modalities/graph/spectrum.h"

#include <ATen/ATen.h>

#include "modalities/graph/graph_structure.h"
#include "modalities/graph/node_pairs.h"
#include "modalities/graph/paths.h"

namespace relbias::modalities {
namespace {

/// features(i,j)_l = gain * sum over k of g_l(lambda_k) V_ik V_jk, l = 0..bins-1, with eigenvalues
/// lambda in 0..2 and eigenvectors V of the normalised Laplacian, and tents g_l(x) = max(0, 1 - |x
/// - c_l| / s), c_l = l s, s = 2 / (bins - 1). No eigenvector is named, so that neither its sign
/// nor the basis of a repeated eigenvalue counts: relabelling nodes relabels features and nothing
/// else. `linear@spectrum` is then SPE (Huang et al. 2024) with piecewise linear functions of the
/// eigenvalues and a linear map behind them. At gain 1 features sum to 1 where i = j, else 0.
///
/// Path 0-1-2, 3 bins, gain 1, row 0:    .25 .5 .25     .3536 0 -.3536    .25 -.5 .25
/// Cycle of 4 (a double eigenvalue):     .25 .5 .25     .25 0 -.25   .25 -.5 .25   .25 0 -.25
///
/// Ids: 0 for pairs of one component, unreachable 1, virtual to node 2, node to virtual 3, virtual
/// to virtual 4; the features of the last four are zero.
class Spectrum final : public Relation {
 public:
  explicit Spectrum(const Options& options) : options_(options), bins_(options.integer("bins")) {}

  RelationTraits traits() const override {
    return {.index_class = IndexClass::pairs,
            .ids = 5,
            .special_ids = special_pairs(),
            .features = bins_};
  }

  RelationMap map(const Structure& sample) const override {
    check_node_tokens(sample, options_);
    check_pair_memory(sample, "the features of relation spectrum", bins_, sizeof(float));
    RelationMap map;
    map.index_class = IndexClass::pairs;
    map.queries = map.keys = sample.keys;
    map.rows = 5;
    map.special = special_rows(1, map.rows);
    map.index = cached(sample, "components", [&] { return component_ids(sample); });
    map.features = cached(sample, options_.canonical(),
                          [&] { return with_virtual_zeros(features(sample), sample, 2); });
    return map;
  }

  Structure structure(std::optional<int64_t> queries, std::optional<int64_t> keys) const override {
    return written_graph(options_, queries, keys);
  }

 private:
  Tensor features(const Structure& sample) const {  // [N, N, bins] float32
    const int64_t nodes = graph_of(sample).nodes;
    if (nodes == 0) return at::zeros({0, 0, bins_});
    const auto [values, vectors] = at::linalg_eigh(normalised_laplacian(sample));
    const double step = 2.0 / static_cast<double>(bins_ - 1);
    const Tensor centre = at::arange(bins_, at::kDouble) * step;
    const Tensor tents =  // [N eigenvalues, bins]
        (1 - (values.clamp(0, 2).unsqueeze(1) - centre).abs() / step).clamp_min(0);
    return (at::einsum("ik,kl,jk->ijl", {vectors, tents, vectors}) * options_.real("gain"))
        .to(at::kFloat);
  }

  const Options options_;
  int64_t bins_;
};

std::vector<OptionSpec> options() {
  std::vector<OptionSpec> specs = {
      {"bins", int64_t{8}, "tents over the eigenvalues 0 to 2", {}, 2, 256},
      {"gain", 40.0, "factor on the features", {}, 0.0}};
  for (auto& spec : graph_options()) specs.push_back(std::move(spec));
  return specs;
}

}  // namespace

RelationEntry relation_spectrum() {
  return {
      .summary =
          "projections of node i on node j through the normalised Laplacian's eigenvectors, summed "
          "over bins of eigenvalues: no sign and no basis counts",
      .example = "path 0-1-2, 3 bins, gain 1: row 0 = .25 .5 .25 | .3536 0 -.3536 | .25 -.5 .25",
      .options = options(),
      .make = [](const Options& given) { return std::make_unique<Spectrum>(given); },
  };
}

}  // namespace relbias::modalities
