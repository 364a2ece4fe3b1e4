// SPDX-License-Identifier: Apache-2.0
// An addition that one_file_test.sh puts into experiments/run/schedules.
#include <cmath>

#include "experiments/run/schedule.h"

namespace relbias::experiments {

ScheduleEntry schedule_stairs() {
  return {.summary = "`factor` to the number of the stair, of `stairs` equally wide ones",
          .options = {{"stairs", int64_t{3}, "how many", {}, 1, 1000},
                      {"factor", 0.1, "from one to the next", {}, 0, 1}},
          .share = [](const Options& options, const ScheduleStep& at) {
            const auto stairs = static_cast<double>(options.integer("stairs"));
            const double stair = std::min(std::floor(at.progress() * stairs), stairs - 1);
            return std::pow(options.real("factor"), stair);
          }};
}

}  // namespace relbias::experiments
