// SPDX-License-Identifier: Apache-2.0
// experiments/run/schedules: at its peak to the end.
#include "experiments/run/schedule.h"

namespace relbias::experiments {

ScheduleEntry schedule_constant() {
  return {.summary = "1 to the end",
          .share = [](const Options&, const ScheduleStep&) { return 1.0; }};
}

}  // namespace relbias::experiments
