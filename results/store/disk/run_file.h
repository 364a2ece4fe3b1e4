// SPDX-License-Identifier: Apache-2.0
// results/store/disk: the file of a run on disk. Found, read whole, replaced whole or not at all,
// locked.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "results/record.h"

namespace relbias::results {

/// All bytes of a file.
/// Throws StoreError if there is none, or it cannot be read.
std::vector<char> file_bytes(const std::filesystem::path& file);

/// Puts `bytes` in place of `file`, or throws StoreError and leaves what was there untouched: they
/// are written beside it under `<file>.tmp-<pid>-<n>`, flushed to the disk, and renamed. A process
/// killed meanwhile leaves only that temporary file, which the next writer of `file` removes.
void replace_file(const std::filesystem::path& file, std::span<const char> bytes);

/// The same with bytes that come piece by piece: `write` gives them to its sink.
using ByteSink = std::function<void(std::span<const char>)>;
void replace_file(const std::filesystem::path& file,
                  const std::function<void(const ByteSink&)>& write);

/// Every *.h5 under `folder`, sorted.
/// Throws StoreError if the folder is missing, is no folder, cannot be read or holds none.
std::vector<std::filesystem::path> find_runs(const std::filesystem::path& folder);

/// Another process, or thread, writes the run already.
struct RunHeld : StoreError {
  using StoreError::StoreError;
};

/// The right to write one run, held by one process at a time through `<run-id>.lock` beside its
/// file. The kernel gives it back when the process dies, however it dies. Creates the folder where
/// needed. Throws RunHeld, naming the holder, if another process or thread writes the run already;
/// StoreError where the lock cannot be had at all.
class RunLock {
 public:
  explicit RunLock(const std::filesystem::path& run_file);
  ~RunLock();
  RunLock(RunLock&& other) noexcept;
  RunLock& operator=(RunLock&& other) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
  int owner_ = 0;  // a forked child must not release its parent's lock
};

}  // namespace relbias::results
