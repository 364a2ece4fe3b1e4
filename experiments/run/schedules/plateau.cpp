// SPDX-License-Identifier: Apache-2.0
// experiments/run/schedules: at its peak, then down along a line.
#include <algorithm>

#include "experiments/run/schedule.h"

namespace relbias::experiments {

ScheduleEntry schedule_plateau() {
  return {
      .summary =
          "1, and over the last share `decay` of the steps (1 - p) / decay (warm-up, stable, "
          "decay)",
      .options =
          {{"decay", 0.2, "share of the steps behind the warm-up in which it falls", {}, 1e-6, 1}},
      .share = [](const Options& options, const ScheduleStep& at) {
        return std::min(1.0, (1 - at.progress()) / options.real("decay"));
      }};
}

}  // namespace relbias::experiments
