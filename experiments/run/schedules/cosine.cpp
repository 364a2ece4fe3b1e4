// SPDX-License-Identifier: Apache-2.0
// experiments/run/schedules: down along half a cosine.
#include <cmath>
#include <numbers>

#include "experiments/run/schedule.h"

namespace relbias::experiments {

ScheduleEntry schedule_cosine() {
  return {.summary =
              "(1 + cos(pi p)) / 2, p from 0 at the end of the warm-up to 1 at the last step; "
              "never below `floor`: floor + (1 - floor) times that",
          .options = {{"floor", 0.0, "the share of the peak at which it ends", {}, 0, 1}},
          .share = [](const Options& options, const ScheduleStep& at) {
            const double floor = options.real("floor");
            const double wave = (1 + std::cos(std::numbers::pi * at.progress())) / 2;
            return floor + (1 - floor) * wave;
          }};
}

}  // namespace relbias::experiments
