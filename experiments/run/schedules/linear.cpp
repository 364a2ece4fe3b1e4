// SPDX-License-Identifier: Apache-2.0
// experiments/run/schedules: down along a line.
#include "experiments/run/schedule.h"

namespace relbias::experiments {

ScheduleEntry schedule_linear() {
  return {.summary = "1 - p, p from 0 at the end of the warm-up to 1 behind the last step",
          .share = [](const Options&, const ScheduleStep& at) { return 1 - at.progress(); }};
}

}  // namespace relbias::experiments
