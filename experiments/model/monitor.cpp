// SPDX-License-Identifier: Apache-2.0
// experiments/model: what is watched of attention: entropy, reach, size of the position term.
#include "experiments/model/monitor.h"

#include <ATen/ATen.h>

#include <limits>

namespace relbias::experiments {
namespace {

// The bin of every pair's distance, [Q, K].
Tensor distance_bins(const RelationMap& relation) {
  constexpr int64_t none = AttentionSums::bins - 1;
  const Tensor pairs = relation.pair_rows().select(0, 0);
  if (!relation.distance.defined()) return at::full_like(pairs, none);
  // 0 -> 0, 1 -> 1, 2 and 3 -> 2, 4 to 7 -> 3
  Tensor bins = relation.distance.clamp_min(0.5).log2().floor().to(at::kLong) + 1;
  bins = bins.clamp(0, none - 1);
  if (relation.special.defined()) bins = bins.masked_fill(relation.special >= 0, none);
  return bins.take(pairs);
}

// Scores with and without the term, the term, its two masked forms, weights, their products and
// logarithms: eight of four bytes a pair at once.
void check_watched(const Tensor& q, const Tensor& k) {
  constexpr int64_t bytes_of_pair = 8 * 4;
  const int64_t bytes = bytes_of_pair * q.size(1) * q.size(2) * k.size(2);
  if (bytes <= AttentionMonitor::most_bytes) return;
  input_error("watching {} heads, {} queries and {} keys takes {} bytes, at most {} expected",
              q.size(1), q.size(2), k.size(2), bytes, AttentionMonitor::most_bytes);
}

void add_to(Tensor& sum, const Tensor& part) { sum = sum.defined() ? sum + part : part; }

}  // namespace

void AttentionMonitor::add(int64_t layer, const Tensor& q, const Tensor& k,
                           const std::vector<Position>& positions, const AttentionOptions& options,
                           const RelationMap& relation) {
  const at::NoGradGuard no_gradients;
  TORCH_INTERNAL_ASSERT(q.size(0) == 1, "one sample at a time, ", q.size(0), " found");
  check_watched(q, k);
  AttentionSums& sums = layers_.at(static_cast<size_t>(layer));
  const Tensor pairs = allowed_pairs(q.size(2), k.size(2), options, q.device());
  const Tensor allowed =
      pairs.defined()
          ? pairs
          : at::ones({1, 1, q.size(2), k.size(2)}, at::TensorOptions(at::kBool).device(q.device()));
  const Tensor scores = attention_scores(q, k, positions, options, pairs)[0];  // [H, Q, K]
  AttentionOptions content = options;
  content.scale = attention_scale(q.size(3), positions, options);
  const Tensor term = scores - attention_scores(q, k, {}, content, pairs)[0];

  const Tensor open = allowed[0].expand(scores.sizes());
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor weights = at::_safe_softmax(scores.masked_fill(open.bitwise_not(), -infinity), -1);
  add_to(sums.entropy, -at::xlogy(weights, weights).sum({1, 2}));
  const Tensor bins = distance_bins(relation).flatten().expand({weights.size(0), -1});
  add_to(sums.share, at::zeros({weights.size(0), AttentionSums::bins}, weights.options())
                         .scatter_add(1, bins, weights.flatten(1)));
  const Tensor low = term.masked_fill(open.bitwise_not(), infinity).amin({1, 2});
  const Tensor high = term.masked_fill(open.bitwise_not(), -infinity).amax({1, 2});
  sums.minimum = sums.minimum.defined() ? at::minimum(sums.minimum, low) : low;
  sums.maximum = sums.maximum.defined() ? at::maximum(sums.maximum, high) : high;
  add_to(sums.squares, term.masked_fill(open.bitwise_not(), 0).square().sum({1, 2}));
  sums.rows += open[0].any(-1).sum().item<int64_t>();
  sums.pairs += open[0].sum().item<int64_t>();
}

}  // namespace relbias::experiments
