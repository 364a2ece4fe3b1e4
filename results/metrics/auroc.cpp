// SPDX-License-Identifier: Apache-2.0
// results/metrics: the area under the receiver operating characteristic.
#include <algorithm>
#include <numeric>

#include "results/metrics/metric.h"

namespace relbias::results {
namespace {

struct Ordered {
  double positives = 0, negatives = 0;
  double right = 0;            // pairs of a positive above a negative, ties half
  std::vector<double> wins{};  // [m] those that sample t takes part in
};

// Sorted by score; a run of equal scores wins half of its pairs.
Ordered order(const Columns& columns) {
  const std::vector<double>&scores = columns[0], &targets = columns[1];
  Ordered found{.wins = std::vector<double>(scores.size(), 0)};
  for (const double target : targets) ++(target == 1 ? found.positives : found.negatives);
  std::vector<size_t> by_score(scores.size());
  std::iota(by_score.begin(), by_score.end(), size_t{0});
  std::ranges::sort(by_score, {}, [&](size_t t) { return scores[t]; });
  double positives_below = 0, negatives_below = 0;
  for (size_t begin = 0, end = 0; begin < by_score.size(); begin = end) {
    double positives = 0, negatives = 0;
    for (; end < by_score.size() && scores[by_score[end]] == scores[by_score[begin]]; ++end) {
      ++(targets[by_score[end]] == 1 ? positives : negatives);
    }
    for (size_t i = begin; i < end; ++i) {
      found.wins[by_score[i]] = targets[by_score[i]] == 1
                                    ? negatives_below + negatives / 2
                                    : found.positives - positives_below - positives / 2;
    }
    found.right += positives * (negatives_below + negatives / 2);
    positives_below += positives;
    negatives_below += negatives;
  }
  return found;
}

}  // namespace

MetricEntry metric_auroc() {
  MetricEntry entry{.summary =
                        "share of pairs of a positive and a negative sample in which the "
                        "positive has the higher score, ties half",
                    .higher_is_better = true,
                    .most = 1,
                    .judges = Judges::two_categories,
                    .one_target = true,
                    .columns = {"score", "target"}};
  entry.keep = [](const Answered& one, std::span<double> kept) {
    kept[0] = one.score;
    kept[1] = one.target;
  };
  // 0 / 0, no value, where one of the two has no sample.
  entry.value = [](const Columns& columns) {
    const Ordered all = order(columns);
    return all.right / (all.positives * all.negatives);
  };
  entry.influence = [](const Columns& columns) {
    const Ordered all = order(columns);
    std::vector<double> left_out;
    for (size_t t = 0; t < all.wins.size(); ++t) {
      const bool positive = columns[1][t] == 1;
      const double pairs =
          (all.positives - (positive ? 1 : 0)) * (all.negatives - (positive ? 0 : 1));
      left_out.push_back((all.right - all.wins[t]) / pairs);
    }
    return jackknife(std::move(left_out));
  };
  return entry;
}

}  // namespace relbias::results
