// SPDX-License-Identifier: Apache-2.0
// experiments/launch: bars and plain lines of progress.
#include "experiments/launch/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "experiments/launch/stderr_text.h"

namespace relbias::experiments {
namespace {

using Seconds = std::chrono::duration<double>;

std::string duration(double seconds) {
  const auto whole = static_cast<int64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole % 3600 / 60);
}

std::string bar(double share) {
  constexpr int width = 20;
  const int full = std::clamp(static_cast<int>(share * width), 0, width);
  return "[" + std::string(full, '#') + std::string(width - full, '.') + "]";
}

size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(size_t runs, int64_t steps, bool terminal)
    : runs_(runs), steps_(steps), terminal_(terminal) {}

Progress::~Progress() { erase_bars(); }

void Progress::start(size_t run, const std::string& label, int64_t steps) {
  Active& active = active_[run];
  active.label = label;
  active.steps = steps;
  active.start = active.last_line = Clock::now();
  if (!terminal_) say(fmt::format("{}: starts", label));
}

void Progress::step(size_t run, int64_t step, double loss) {
  Active& active = active_.at(run);
  if (active.first_step < 0) {
    active.first_step = step;
    active.first_time = Clock::now();
    if (step > 1) steps_before_ += step;
  }
  active.step = step;
  active.loss = loss;
  active.evaluated_size = 0;
}

void Progress::evaluating(size_t run, int64_t size) {
  Active& active = active_.at(run);
  active.evaluated_size = size;
}

void Progress::finish(size_t run, const std::string& end) {
  const Active active = active_.at(run);
  active_.erase(run);
  ++finished_;
  steps_finished_ += active.steps;
  const Seconds elapsed = Clock::now() - active.start;
  say(fmt::format("{}: {} ({}, {} of {} runs)", active.label, end, duration(elapsed.count()),
                  finished_, runs_));
}

void Progress::drop(size_t run) {
  say(fmt::format("{}: stopped", active_.at(run).label));
  active_.erase(run);
}

void Progress::say(const std::string& line) {
  erase_bars();
  to_stderr(line + "\n");
}

double Progress::rate(const Active& run) {
  const double elapsed = Seconds(Clock::now() - run.first_time).count();
  if (run.first_step < 0 || run.step <= run.first_step || elapsed <= 0) return 0;
  return static_cast<double>(run.step - run.first_step) / elapsed;
}

std::string Progress::describe(const Active& run) {
  if (run.evaluated_size > 0) {
    return fmt::format("{}: step {}/{}, evaluating size {}", run.label, run.step, run.steps,
                       run.evaluated_size);
  }
  if (run.first_step < 0) return fmt::format("{}: reading data", run.label);
  const double steps_a_second = rate(run);
  std::string text =
      fmt::format("{}: step {}/{}, loss {:.4f}", run.label, run.step, run.steps, run.loss);
  if (steps_a_second > 0) {
    const double left = static_cast<double>(run.steps - run.step) / steps_a_second;
    text += fmt::format(", {:.1f} steps/s, {} left", steps_a_second, duration(left));
  }
  return text;
}

std::string Progress::overall() const {
  int64_t done = steps_finished_;
  for (const auto& [run, active] : active_) done += active.step;
  const double share = steps_ > 0 ? static_cast<double>(done) / static_cast<double>(steps_) : 1;
  const double elapsed = Seconds(Clock::now() - start_).count();
  const double earned = static_cast<double>(done - steps_before_);
  std::string left = "?";
  if (earned > 0) left = duration(elapsed * static_cast<double>(steps_ - done) / earned);
  return fmt::format("{} {} of {} runs, {:.0f} %, {} left", bar(share), finished_, runs_,
                     100 * share, left);
}

void Progress::refresh() {
  const auto now = Clock::now();
  if (!terminal_) {
    for (auto& [run, active] : active_) {
      if (now - active.last_line < std::chrono::seconds(10)) continue;
      active.last_line = now;
      say(describe(active));
    }
    return;
  }
  if (now - last_draw_ < std::chrono::milliseconds(100)) return;
  last_draw_ = now;
  erase_bars();
  const size_t columns = terminal_columns();
  const auto draw = [&](const std::string& line) {
    to_stderr(line.substr(0, columns - 1) + "\n");
    ++bars_;
  };
  for (const auto& [run, active] : active_) draw(describe(active));
  draw(overall());
}

void Progress::erase_bars() {
  // One line up and clear it, for every bar.
  for (; bars_ > 0; --bars_) to_stderr("\x1b[A\x1b[2K\r");
}

}  // namespace relbias::experiments
