// SPDX-License-Identifier: Apache-2.0
// results/store/disk: the file of a run on disk (POSIX). HDF5 never touches a disk here, see
// hdf5/image.h.
#include "results/store/disk/run_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

namespace relbias::results {
namespace {

namespace fs = std::filesystem;

std::string error_text(int error) { return std::generic_category().message(error); }

// An open file, closed on every way out; close() is for those who must know that it worked.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  bool close() { return ::close(release()) == 0; }

 private:
  int number_;
};

bool lock_now(int descriptor) {
  int result = 0;
  do {
    result = ::flock(descriptor, LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

// Whether the file opened as `descriptor` still stands under its name.
bool still_named(int descriptor, const fs::path& file) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(file.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// write() until all is written. False with errno set otherwise.
bool write_all(int descriptor, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

void create_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw StoreError(
        fmt::format("{}: cannot create the folder: {}", folder.string(), error.message()));
  }
}

std::string temporary_prefix(const fs::path& file) { return file.filename().string() + ".tmp-"; }

// Writers hold a lock on their temporary file, so one that can be locked has lost its writer.
void remove_abandoned(const fs::path& file) {
  const std::string prefix = temporary_prefix(file);
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(file), error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(prefix)) continue;
    const Descriptor abandoned(::open(entry->path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (abandoned.number() >= 0 && lock_now(abandoned.number()) &&
        still_named(abandoned.number(), entry->path())) {
      ::unlink(entry->path().c_str());
    }
  }
}

// A new, empty, locked file beside `file`. Returns its descriptor.
int create_temporary(const fs::path& file, fs::path& temporary) {
  static std::atomic<unsigned> count = 0;
  for (;;) {
    temporary = folder_of(file) /
                fmt::format("{}{}-{}", temporary_prefix(file), ::getpid(), count.fetch_add(1));
    Descriptor created(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (created.number() < 0 && errno == EEXIST) continue;
    if (created.number() < 0) {
      throw StoreError(fmt::format("{}: cannot create a file here: {}", folder_of(file).string(),
                                   error_text(errno)));
    }
    // Where locks don't work (some network file systems), remove_abandoned() cannot take one
    // either.
    const bool locked = lock_now(created.number());
    if (locked ? still_named(created.number(), temporary) : errno != EWOULDBLOCK) {
      return created.release();
    }
  }
}

// Makes the rename itself survive a power failure. Some file systems cannot flush a folder
// (EINVAL).
bool flush_folder(const fs::path& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return opened.number() >= 0 && (::fsync(opened.number()) == 0 || errno == EINVAL);
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

// "PID on HOST", as the holder wrote it.
std::string holder_of(int descriptor) {
  std::array<char, 300> text{};
  const ssize_t length = ::pread(descriptor, text.data(), text.size(), 0);
  return length > 0 ? std::string(text.data(), static_cast<size_t>(length)) : "of unknown number";
}

}  // namespace

std::vector<char> file_bytes(const fs::path& file) {
  const auto fail = [&](int error) {
    throw StoreError(fmt::format("{}: cannot read the file: {}", file.string(), error_text(error)));
  };
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (opened.number() < 0) fail(errno);
  struct stat status {};
  if (::fstat(opened.number(), &status) != 0) fail(errno);
  if (S_ISDIR(status.st_mode)) fail(EISDIR);
  if (!S_ISREG(status.st_mode)) throw StoreError(file.string() + ": not a regular file");

  std::vector<char> bytes(static_cast<size_t>(status.st_size));
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::read(opened.number(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno);
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

void replace_file(const fs::path& file, std::span<const char> bytes) {
  replace_file(file, [&](const ByteSink& sink) { sink(bytes); });
}

void replace_file(const fs::path& file, const std::function<void(const ByteSink&)>& write) {
  create_folder(folder_of(file));
  struct stat existing {};
  if (::stat(file.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
    throw StoreError(file.string() + ": not a regular file, so it is not replaced");
  }
  remove_abandoned(file);

  fs::path temporary;
  Descriptor created(create_temporary(file, temporary));
  size_t bytes = 0;  // so far
  const auto fail = [&](const char* action, int error) {
    ::unlink(temporary.c_str());
    throw StoreError(fmt::format(
        "{}: cannot {} {} bytes beside it, in {}: {}; what stood there is untouched", file.string(),
        action, bytes, temporary.filename().string(), error_text(error)));
  };
  try {
    write([&](std::span<const char> piece) {
      bytes += piece.size();
      if (!write_all(created.number(), piece)) fail("write", errno);
    });
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  if (::fsync(created.number()) != 0) fail("flush", errno);
  if (::rename(temporary.c_str(), file.c_str()) != 0) fail("rename", errno);
  if (!created.close()) {
    throw StoreError(fmt::format("{}: closing it failed: {}", file.string(), error_text(errno)));
  }
  if (!flush_folder(folder_of(file))) {
    throw StoreError(fmt::format("{}: written, but its folder cannot be flushed to the disk: {}",
                                 file.string(), error_text(errno)));
  }
}

std::vector<fs::path> find_runs(const fs::path& folder) {
  const auto fail = [&](const std::string& problem) {
    throw StoreError(fmt::format("{}: {}", folder.string(), problem));
  };
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found) fail("no such folder");
  if (error) fail(error.message());
  if (!fs::is_directory(status)) fail("not a folder; expected one that holds runs (*.h5)");

  std::vector<fs::path> found;
  fs::recursive_directory_iterator entry(folder, error);
  for (const fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().extension() == ".h5" && !entry->is_directory(ignored)) {
      found.push_back(entry->path());
    }
  }
  if (error) fail("cannot be read: " + error.message());
  if (found.empty()) fail("no runs (*.h5) in this folder or below it");
  std::ranges::sort(found);
  return found;
}

RunLock::RunLock(const fs::path& run_file)
    : file_(fs::path(run_file).replace_extension(".lock")), owner_(::getpid()) {
  create_folder(folder_of(run_file));
  const auto fail = [&](const std::string& problem) {
    throw StoreError(fmt::format("run {}: {}", run_file.stem().string(), problem));
  };
  for (;;) {
    Descriptor opened(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (opened.number() < 0) {
      fail(fmt::format("cannot open its lock file {}: {}", file_.string(), error_text(errno)));
    }
    if (!lock_now(opened.number())) {
      if (errno != EWOULDBLOCK) {
        fail(fmt::format("cannot lock {}: {}", file_.string(), error_text(errno)));
      }
      throw RunHeld(fmt::format("run {}: is already being written by process {} (lock file {})",
                                run_file.stem().string(), holder_of(opened.number()),
                                file_.string()));
    }
    if (!still_named(opened.number(), file_)) continue;  // its last holder removed it just now
    const std::string holder = fmt::format("{} on {}", owner_, host_name());
    if (::ftruncate(opened.number(), 0) != 0 || !write_all(opened.number(), holder)) {
      const int error = errno;
      ::unlink(file_.c_str());
      fail(fmt::format("cannot write its lock file {}: {}", file_.string(), error_text(error)));
    }
    descriptor_ = opened.release();
    return;
  }
}

RunLock::RunLock(RunLock&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      owner_(other.owner_) {}

RunLock::~RunLock() {
  if (descriptor_ < 0) return;
  if (owner_ == ::getpid()) ::unlink(file_.c_str());  // before the lock is given back
  ::close(descriptor_);
}

}  // namespace relbias::results
