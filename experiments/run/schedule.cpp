// SPDX-License-Identifier: Apache-2.0
// experiments/run: warm-up, then the schedule's own course.
#include "experiments/run/schedule.h"

namespace relbias::experiments {

double learning_rate(const TrainConfig& config, int64_t step) {
  const double peak = config.learning_rate;
  const int64_t warmup = config.warmup;
  if (step < warmup) return peak * static_cast<double>(step + 1) / static_cast<double>(warmup);
  const auto& entry = find_entry("schedule", option_name(config.schedule), schedule_entries());
  const Options options = parse_options("schedule", config.schedule, entry.options);
  return peak * entry.share(options, {step - warmup, config.steps - warmup, warmup});
}

}  // namespace relbias::experiments
