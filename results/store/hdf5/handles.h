// SPDX-License-Identifier: Apache-2.0
// results/store/hdf5: HDF5's identifiers and errors in C++, and the types of what runs store.
#pragma once

#include <fmt/format.h>
#define H5_USE_110_API  // which later releases still offer
#include <hdf5.h>

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "results/store/hdf5/packed_rows.h"

namespace relbias::results::hdf5 {

// Images have no file; HDF5 wants a name all the same, so it gets one that cannot exist.
constexpr const char* no_file = "/dev/null/image.h5";
constexpr const char* earlier_file = "/dev/null/earlier.h5";

/// HDF5's own words for its last failure: the innermost entry of its error stack.
std::string last_message();

template <typename Result>
Result checked(Result result, std::string_view action) {
  if (result < 0) throw StoreError(fmt::format("{}: {}", action, last_message()));
  return result;
}

/// One thread in HDF5 at a time, from opening to closing, and its own printing of errors off.
/// Locking single calls would not do: sequences interleave, and closing is a call too.
class Session {
 public:
  Session() {
    static std::mutex one;
    lock_ = std::unique_lock(one);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

/// An HDF5 identifier, closed when it goes.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle(hid_t id, Close close, std::string_view action)
      : id_(checked(id, action)), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): as HDF5's own ids

 private:
  hid_t id_;
  Close close_;
};

inline hid_t native(double /*value*/) { return H5T_NATIVE_DOUBLE; }
inline hid_t native(float /*value*/) { return H5T_NATIVE_FLOAT; }
inline hid_t native(int64_t /*value*/) { return H5T_NATIVE_INT64; }
inline hid_t native(char /*value*/) { return H5T_NATIVE_INT8; }

/// Opens the image of a file, to be read. `name` is what HDF5 calls it: two of one name are one.
Handle open_image(const std::vector<char>& image, const char* name);

/// Of `width` bytes, or H5T_VARIABLE.
Handle text_type(size_t width);

/// In memory and in the file.
Handle type_of(const PackedColumn& column);
Handle type_of(const PackedRows& rows);

}  // namespace relbias::results::hdf5
