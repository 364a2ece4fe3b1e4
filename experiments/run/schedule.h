// SPDX-License-Identifier: Apache-2.0
// experiments/run: the course of the learning rate.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/config/config.h"
#include "modalities/plain/options.h"

namespace relbias::experiments {

/// A step behind the warm-up.
struct ScheduleStep {
  int64_t step = 0;    // 0: the first behind the warm-up
  int64_t steps = 0;   // behind the warm-up, in all
  int64_t warmup = 0;  // steps of it

  /// 0 at the first step, 1 behind the last.
  double progress() const { return static_cast<double>(step) / static_cast<double>(steps); }
};

/// A schedule is one file in experiments/run/schedules/: its factory returns this.
struct ScheduleEntry {
  std::string name{};   // from the file name, set by the catalogue
  std::string summary;  // the formula
  std::vector<OptionSpec> options{};
  /// The learning rate as a share of its peak.
  std::function<double(const Options&, const ScheduleStep&)> share;
};

/// Generated from the files in experiments/run/schedules/.
const std::vector<ScheduleEntry>& schedule_entries();

/// The learning rate of step `step` = 0, 1, ... of `train.steps`:
///     peak * (step + 1) / warmup                    while step < warmup
///     peak * share of train.schedule                then
/// A function of the configuration alone: no learning rate is ever saved, so none can be restored
/// that differs from what the configuration says.
double learning_rate(const TrainConfig& config, int64_t step);

}  // namespace relbias::experiments
