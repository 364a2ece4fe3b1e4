// SPDX-License-Identifier: Apache-2.0
// experiments/launch: child processes by posix_spawn: safe beside LibTorch's threads, where fork is
// not.
#include "experiments/launch/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>

namespace relbias::experiments {
namespace {

[[noreturn]] void system_failure(int error, const char* what) {
  throw std::system_error(error, std::generic_category(), what);
}

struct Pipe {
  std::array<int, 2> ends{-1, -1};  // read, write

  Pipe() {
    // Close-on-exec, or a sibling would hold the write end open and the end of output never come.
    if (pipe2(ends.data(), O_CLOEXEC) != 0) system_failure(errno, "pipe");
  }
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) close(end);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int take(size_t end) { return std::exchange(ends[end], -1); }
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

ChildProcess::ChildProcess(const Start& start) {
  Pipe input, output, errors;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.ends[1], STDERR_FILENO);

  std::vector<std::string> arguments = start.arguments, environment = start.environment;
  arguments.insert(arguments.begin(), "relbias");
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.emplace_back(*variable);  // behind ours: the first of a name counts
  }
  const int error = posix_spawn(&process_, "/proc/self/exe", &actions, nullptr,
                                pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) system_failure(error, "starting a run");
  close(input.take(0));  // the child's alone, so that writing to a dead one fails
  output_.descriptor = output.take(0);
  errors_.descriptor = errors.take(0);
  // A child that is dead already shows when it is waited for.
  for (std::string_view left = start.input; !left.empty();) {
    const ssize_t written = write(input.ends[1], left.data(), left.size());
    if (written < 0 && errno != EINTR) {
      signal(SIGKILL);
      break;
    }
    left.remove_prefix(static_cast<size_t>(std::max<ssize_t>(written, 0)));
  }
}

ChildProcess::~ChildProcess() {
  if (process_ > 0) {
    signal(SIGKILL);
    wait();
  }
  for (const int descriptor : {output_.descriptor, errors_.descriptor}) {
    if (descriptor >= 0) close(descriptor);
  }
}

void ChildProcess::signal(int number) const {
  if (process_ > 0) kill(process_, number);
}

int ChildProcess::wait() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

void read_lines(ChildProcess::Stream& stream, const std::function<void(const std::string&)>& use) {
  std::array<char, 4096> buffer;
  const ssize_t count = read(stream.descriptor, buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return;
  if (count <= 0) {
    close(stream.descriptor);
    stream.descriptor = -1;
    if (!stream.pending.empty()) use(std::exchange(stream.pending, ""));
    return;
  }
  stream.pending.append(buffer.data(), static_cast<size_t>(count));
  size_t begin = 0;
  for (size_t end; (end = stream.pending.find('\n', begin)) != std::string::npos; begin = end + 1) {
    use(stream.pending.substr(begin, end - begin));
  }
  stream.pending.erase(0, begin);
}

std::vector<ChildProcess::Stream*> wait_for_output(
    const std::vector<ChildProcess::Stream*>& streams, int milliseconds) {
  std::vector<pollfd> polled;
  for (const auto* stream : streams) polled.push_back({stream->descriptor, POLLIN, 0});
  std::vector<ChildProcess::Stream*> ready;
  if (poll(polled.data(), polled.size(), milliseconds) <= 0) return ready;
  for (size_t i = 0; i < streams.size(); ++i) {
    if (polled[i].revents != 0) ready.push_back(streams[i]);
  }
  return ready;
}

}  // namespace relbias::experiments
