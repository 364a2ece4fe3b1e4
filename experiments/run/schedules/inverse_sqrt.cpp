// SPDX-License-Identifier: Apache-2.0
// experiments/run/schedules: down as one over the root of the steps.
#include <algorithm>
#include <cmath>

#include "experiments/run/schedule.h"

namespace relbias::experiments {

ScheduleEntry schedule_inverse_sqrt() {
  return {.summary = "sqrt(w / (w + s)) at step s behind a warm-up of w steps, 1 at least",
          .share = [](const Options&, const ScheduleStep& at) {
            const auto warmup = static_cast<double>(std::max<int64_t>(1, at.warmup));
            return std::sqrt(warmup / (warmup + static_cast<double>(at.step)));
          }};
}

}  // namespace relbias::experiments
