// SPDX-License-Identifier: Apache-2.0
// results: the HDF5 C API with checked results and handles that close. The only file that includes
// it.
#pragma once

#include <fmt/format.h>
// The interface of 1.10, which later releases still offer.
#define H5_USE_110_API
#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "results/record.h"

namespace relbias::hdf5 {

// HDF5's own words for its last failure: the innermost entry of its error stack.
inline std::string hdf5_message() {
  std::string message = "HDF5 gives no reason";
  const auto innermost = [](unsigned depth, const H5E_error2_t* error, void* text) -> herr_t {
    if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &message);
  return message;
}

// Images have no file; HDF5 wants a name all the same, so it gets one that cannot exist.
inline constexpr const char* no_file = "/dev/null/image.h5";

template <typename Result>
Result checked(Result result, std::string_view action) {
  if (result < 0) throw StoreError(fmt::format("{}: {}", action, hdf5_message()));
  return result;
}

// One thread in HDF5 at a time, from opening to closing, and its printing of errors off meanwhile.
// Locking single calls would not do: sequences interleave, and closing is a call too.
class Session {
 public:
  Session() : lock_(mutex()) {
    H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Session() { H5Eset_auto2(H5E_DEFAULT, print_, print_data_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  std::lock_guard<std::mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

// An HDF5 identifier, closed when it goes.
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

inline Handle text_type(size_t width) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "text type");
  checked(H5Tset_size(type, width), "text type");
  checked(H5Tset_cset(type, H5T_CSET_UTF8), "text type");
  if (width != H5T_VARIABLE) checked(H5Tset_strpad(type, H5T_STR_NULLPAD), "text type");
  return type;
}

// As h5py writes booleans.
inline Handle bool_type() {
  Handle type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose, "boolean type");
  for (const auto& [name, value] : {std::pair<const char*, int8_t>{"FALSE", 0}, {"TRUE", 1}}) {
    checked(H5Tenum_insert(type, name, &value), "boolean type");
  }
  return type;
}

inline hid_t native(double) { return H5T_NATIVE_DOUBLE; }
inline hid_t native(float) { return H5T_NATIVE_FLOAT; }
inline hid_t native(int64_t) { return H5T_NATIVE_INT64; }
inline hid_t native(char) { return H5T_NATIVE_INT8; }

inline Handle compound_of(size_t size) {
  return {H5Tcreate(H5T_COMPOUND, size), H5Tclose, "table type"};
}

}  // namespace relbias::hdf5
