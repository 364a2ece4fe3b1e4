// SPDX-License-Identifier: Apache-2.0
// experiments/launch: a child process whose output is read line by line.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace relbias::experiments {

/// This program once more, with other arguments. Throws std::system_error where it cannot start.
class ChildProcess {
 public:
  struct Start {
    std::vector<std::string> arguments;    // without the program's own name
    std::vector<std::string> environment;  // NAME=value, besides our own
    std::string input;                     // all of its standard input; small
  };
  explicit ChildProcess(const Start& start);
  /// Kills the process if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// One of its two outputs.
  struct Stream {
    int descriptor = -1;  // -1: at its end
    std::string pending;  // the start of a line
  };
  Stream& output() { return output_; }
  Stream& errors() { return errors_; }

  void signal(int number) const;
  /// Waits for the end; the status as waitpid gives it.
  int wait();

 private:
  pid_t process_ = -1;
  Stream output_, errors_;
};

/// Reads what there is and hands on every complete line; the last line also without its end.
void read_lines(ChildProcess::Stream& stream, const std::function<void(const std::string&)>& use);

/// Waits up to `milliseconds` for output. Returns the streams that have something to read.
std::vector<ChildProcess::Stream*> wait_for_output(
    const std::vector<ChildProcess::Stream*>& streams, int milliseconds);

}  // namespace relbias::experiments
