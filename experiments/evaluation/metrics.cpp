// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: metrics as ratios of sums over samples.
#include "experiments/evaluation/metrics.h"

#include <c10/util/Exception.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace relbias::experiments {
namespace {

Estimate ratio(const std::vector<SampleScore>& samples, double SampleScore::*part) {
  double sum = 0, targets = 0, squares = 0;
  for (const auto& sample : samples) {
    sum += sample.*part;
    targets += sample.targets;
  }
  TORCH_INTERNAL_ASSERT(targets > 0, "an evaluation without a scored target");
  const double mean = sum / targets;
  for (const auto& sample : samples) {
    const double residual = sample.*part - sample.targets * mean;
    squares += residual * residual;
  }
  const auto count = static_cast<double>(samples.size());
  if (samples.size() < 2) return {mean, std::numeric_limits<double>::quiet_NaN()};
  return {mean, std::sqrt(count / (count - 1) * squares) / targets};
}

}  // namespace

Estimate estimate(const std::string& metric, const std::vector<SampleScore>& samples) {
  if (metric == "accuracy") return ratio(samples, &SampleScore::hits);
  if (metric == "mean-absolute-error") return ratio(samples, &SampleScore::errors);
  const Estimate nats = ratio(samples, &SampleScore::nats);
  if (metric == "cross-entropy") return nats;
  if (metric == "bits-per-byte") {
    return {nats.value / std::numbers::ln2, nats.standard_error / std::numbers::ln2};
  }
  TORCH_INTERNAL_ASSERT(metric == "perplexity", "a task names the metric ", metric);
  const double perplexity = std::exp(nats.value);
  return {perplexity, perplexity * nats.standard_error};
}

std::string better(const std::string& metric) {
  return metric.ends_with("accuracy") ? "higher" : "lower";
}

}  // namespace relbias::experiments
