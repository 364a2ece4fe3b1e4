// SPDX-License-Identifier: Apache-2.0
// experiments/launch: progress of the runs of studies, on standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "modalities/plain/rooms.h"

namespace relbias::experiments {

/// On a terminal a line for each active run and one for all, redrawn in place; elsewhere plain
/// lines at the start and the end of a run and every ten seconds between.
class Progress {
 public:
  /// `steps` of all runs together.
  Progress(size_t runs, int64_t steps, bool terminal);
  ~Progress();

  void start(size_t run, const std::string& label, int64_t steps);
  void step(size_t run, int64_t step, double loss);
  void evaluating(size_t run, int64_t size);
  /// The run is over; `end` says how.
  void finish(size_t run, const std::string& end);
  /// The run stopped before its end.
  void drop(size_t run);
  /// A line of its own, above the bars.
  void say(const std::string& line);
  /// Shows what has changed, not too often. To be called several times a second.
  void refresh();

 private:
  using Clock = std::chrono::steady_clock;
  struct Active {
    std::string label;
    int64_t steps = 0;
    int64_t first_step = -1;  // -1: none seen yet; a continued run starts late
    int64_t step = 0;
    double loss = 0;
    int64_t evaluated_size = 0;  // 0: still training
    Clock::time_point start, first_time, last_line;
  };
  static double rate(const Active& run);  // steps a second, 0: unknown
  static std::string describe(const Active& run);
  std::string overall() const;
  void erase_bars();

  const size_t runs_;
  const int64_t steps_;
  const bool terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_draw_{};
  std::map<size_t, Active> active_;
  size_t finished_ = 0;
  int64_t steps_finished_ = 0;
  int64_t steps_before_ = 0;  // of continued runs, done by an earlier call
  size_t bars_ = 0;           // lines on the screen
};

}  // namespace relbias::experiments
