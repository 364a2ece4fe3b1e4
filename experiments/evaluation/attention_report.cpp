// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: what attention did at every evaluated size, as the results keep it.
#include "experiments/evaluation/attention_report.h"

#include <ATen/ATen.h>

#include <optional>

#include "experiments/run/trainer.h"

namespace relbias::experiments {
namespace {

using at::Tensor;

constexpr int64_t watched_samples = 4;

Batch first_samples(const Batch& batch) {
  const int64_t count = std::min(watched_samples, batch.inputs.size(0));
  Batch few = batch.each([&](const Tensor& tensor) { return tensor.narrow(0, 0, count); });
  if (few.structures.size() > 1) few.structures.resize(static_cast<size_t>(count));
  return few;
}

// One monitor: a tensor a size and layer, stacked.
Monitor stacked(const std::string& name, const std::vector<std::vector<Tensor>>& parts) {
  std::vector<Tensor> sizes;
  for (const auto& layers : parts) sizes.push_back(at::stack(layers));
  const Tensor values = at::stack(sizes).to(at::kDouble).cpu().contiguous();
  Monitor monitor{name, {"size", "layer", "head"}, values.sizes().vec(), {}};
  if (values.dim() == 4) monitor.dimensions.emplace_back("distance");
  monitor.values.assign(values.data_ptr<double>(), values.data_ptr<double>() + values.numel());
  return monitor;
}

// Nothing where the model cannot be asked (the evaluation says why), or where the matrix of all
// pairs, which the evaluation may have done without, is too large to be looked at.
std::optional<AttentionMonitor> watched(Model& model, const Batch& batch) {
  if (model.undefined_at(batch.largest())) return std::nullopt;
  const Batch few = to_device_of(model, first_samples(batch));
  try {
    return model.watched(model.with_random_positions(few, stream(0, "evaluation positions", 0)));
  } catch (const InputError&) {
    return std::nullopt;
  }
}

Monitor distances() {
  Monitor monitor{"distance", {"distance"}, {AttentionSums::bins}, {0.0}};
  for (int64_t bin = 1; bin + 1 < AttentionSums::bins; ++bin) {
    monitor.values.push_back(static_cast<double>(int64_t{1} << (bin - 1)));
  }
  monitor.values.push_back(-1);
  return monitor;
}

}  // namespace

std::vector<Monitor> watch_attention(const RunConfig& config, const Experiment& experiment) {
  const at::NoGradGuard no_gradients;
  Model& model = *experiment.model;
  model.eval();
  Monitor size{"size", {"size"}, {0}, {}};
  std::vector<std::vector<Tensor>> entropy, share, minimum, maximum, norm;
  for (auto request : evaluation_requests(config, *experiment.task)) {
    request.samples = std::min(request.samples, watched_samples);
    bool seen = false;
    experiment.task->evaluation(request, [&](const Batch& batch) {
      if (seen) return;
      const auto monitor = watched(model, batch);
      seen = monitor.has_value();
      if (!seen) return;
      for (auto* parts : {&entropy, &share, &minimum, &maximum, &norm}) parts->emplace_back();
      for (const auto& layer : monitor->layers()) {
        const auto rows = static_cast<double>(std::max<int64_t>(layer.rows, 1));
        const auto pairs = static_cast<double>(std::max<int64_t>(layer.pairs, 1));
        entropy.back().push_back(layer.entropy / rows);
        share.back().push_back(layer.share / rows);
        minimum.back().push_back(layer.minimum);
        maximum.back().push_back(layer.maximum);
        norm.back().push_back((layer.squares / pairs).sqrt());
      }
    });
    if (seen) size.values.push_back(static_cast<double>(request.size));
  }
  size.shape = {static_cast<int64_t>(size.values.size())};
  if (size.values.empty() || entropy.front().empty()) return {};
  return {size,
          distances(),
          stacked("entropy", entropy),
          stacked("share", share),
          stacked("term_minimum", minimum),
          stacked("term_maximum", maximum),
          stacked("term_norm", norm)};
}

}  // namespace relbias::experiments
