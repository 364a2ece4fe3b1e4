// SPDX-License-Identifier: Apache-2.0
// results/store/hdf5: reading of attributes, whoever wrote them.
#include "results/store/hdf5/attributes.h"

#include <optional>

namespace relbias::results::hdf5 {
namespace {

std::string read_text(hid_t attribute, hid_t type) {
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    checked(H5Aread(attribute, type, &text), "attribute");
    std::string copy = text == nullptr ? "" : text;
    H5free_memory(text);
    return copy;
  }
  std::string text(H5Tget_size(type), '\0');
  checked(H5Aread(attribute, type, text.data()), "attribute");
  if (H5Tget_strpad(type) == H5T_STR_SPACEPAD)
    return text.substr(0, text.find_last_not_of(' ') + 1);
  return text.substr(0, text.find('\0'));
}

// Of a single value; nothing for a kind that no run has.
std::optional<StoredAttribute> read_attribute(hid_t attribute) {
  const Handle space(H5Aget_space(attribute), H5Sclose, "attribute");
  if (H5Sget_simple_extent_type(space) != H5S_SCALAR) return std::nullopt;
  const Handle type(H5Aget_type(attribute), H5Tclose, "attribute");
  const H5T_class_t kind = H5Tget_class(type);
  const auto read = [&](hid_t memory_type, auto value) {
    checked(H5Aread(attribute, memory_type, &value), "attribute");
    return value;
  };
  if (kind == H5T_INTEGER) return read(native(int64_t{}), int64_t{});
  if (kind == H5T_FLOAT) return read(native(double{}), double{});
  if (kind == H5T_ENUM && H5Tget_size(type) == 1)
    return int64_t{read(type, char{})};  // h5py's bool
  if (kind == H5T_STRING) return read_text(attribute, type);
  return std::nullopt;
}

// All at once: to open the i-th of many, HDF5 lists them all.
std::vector<std::string> names_in(hid_t object) {
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5A_info_t*, void* found) -> herr_t {
    static_cast<std::vector<std::string>*>(found)->emplace_back(name);
    return 0;
  };
  checked(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names), "attributes");
  return names;
}

}  // namespace

StoredAttributes read_attributes(hid_t object, std::vector<std::string>& others) {
  StoredAttributes attributes;
  for (const std::string& name : names_in(object)) {
    const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, "attribute");
    if (auto value = read_attribute(attribute)) {
      attributes.emplace(name, *std::move(value));
    } else {
      others.push_back(name);
    }
  }
  return attributes;
}

}  // namespace relbias::results::hdf5
