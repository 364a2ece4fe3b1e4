// SPDX-License-Identifier: Apache-2.0
// modalities/sampling: training and evaluation samples drawn from independent streams.
#include "modalities/sampling/sampled_task.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace relbias::modalities {
Batch SampledTask::training(const TrainingRequest& request) const {
  check_size(request.size);
  return draw(request.size, request.batch, stream(request.seed, "data", request.step));
}

void SampledTask::evaluation(const EvaluationRequest& request,
                             const std::function<void(const Batch&)>& use) const {
  check({}, {request});
  const Batch all =
      draw(request.size, request.samples,
           stream(0, evaluation_stream(request.split), static_cast<uint64_t>(request.size)));
  for (int64_t first = 0; first < request.samples; first += request.batch) {
    use(all.rows(first, std::min(request.batch, request.samples - first)));
  }
}

void SampledTask::check(const std::vector<int64_t>& train_sizes,
                        const std::vector<EvaluationRequest>& evaluations) const {
  for (const int64_t size : train_sizes) check_size(size);
  for (const EvaluationRequest& request : evaluations) {
    check_size(request.size);
    check_counts(request);
  }
}

}  // namespace relbias::modalities
