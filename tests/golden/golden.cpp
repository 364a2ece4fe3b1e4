// SPDX-License-Identifier: Apache-2.0
// tests/golden: loads what public implementations computed; the one place that opens those files.
#include "tests/golden/golden.h"
#include "tests/source_folder.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stdexcept>

#define H5_USE_110_API  // the interface of 1.10, which later releases still offer
#include <hdf5.h>

namespace relbias::golden {
namespace {

// HDF5 itself prints why to stderr.
template <typename Result>
Result checked(Result result, const std::string& what) {
  if (result < 0) throw std::runtime_error(what + ": not found, or not readable");
  return result;
}

// An HDF5 identifier, closed when it goes.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle(hid_t id, Close close, const std::string& what) : id_(checked(id, what)), close_(close) {}
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): as HDF5's own ids

 private:
  hid_t id_;
  Close close_;
};

Handle open_file(const std::string& path) {
  if (!std::filesystem::exists(path)) throw std::runtime_error(path + ": no such file");
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, path};
}

Handle open_group(hid_t parent, const std::string& name, const std::string& where) {
  return {H5Gopen2(parent, name.c_str(), H5P_DEFAULT), H5Gclose, where};
}

Handle open_attribute(hid_t group, const std::string& name, const std::string& where) {
  return {H5Aopen(group, name.c_str(), H5P_DEFAULT), H5Aclose, where};
}

Handle open_data(hid_t group, const std::string& path, const std::string& where) {
  return {H5Dopen2(group, path.c_str(), H5P_DEFAULT), H5Dclose, where};
}

std::vector<int64_t> shape_of(hid_t space) {
  std::vector<hsize_t> sizes(
      static_cast<size_t>(checked(H5Sget_simple_extent_ndims(space), "shape")));
  checked(H5Sget_simple_extent_dims(space, sizes.data(), nullptr), "shape");
  return {sizes.begin(), sizes.end()};
}

std::vector<std::string> members(hid_t group) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  checked(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), "members");
  return names;
}

// A case is a group that says where it comes from; other groups hold cases.
void collect(hid_t group, const std::string& path, std::vector<std::string>& found) {
  if (checked(H5Aexists(group, "source"), path) > 0) {
    found.push_back(path);
    return;
  }
  for (const auto& name : members(group)) {
    collect(open_group(group, name, path),
            fmt::format("{}{}{}", path, path.empty() ? "" : "/", name), found);
  }
}

// The files lie in folders by family; where there is none of that name the path says so.
std::string file_path(const std::string& file) {
  const std::string folder = source_folder() + "/tests/golden";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().filename() == file + ".h5") return entry.path();
  }
  return fmt::format("{}/{}.h5", folder, file);
}

// Runs `act` on a group.
template <class Act>
auto within(const std::string& file, const std::string& group, Act&& act) {
  const Handle opened = open_file(file);
  return act(open_group(opened, group, fmt::format("{}: {}", file, group)));
}

}  // namespace

std::string case_name(const CaseId& id) {
  std::string name = id.file + "_" + id.group;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

std::vector<CaseId> cases(const std::string& file, const std::string& prefix) {
  std::vector<CaseId> found;
  try {
    within(file_path(file), "/", [&](hid_t top) {
      std::vector<std::string> groups;
      collect(top, "", groups);
      for (const auto& group : groups) {
        if (group.starts_with(prefix)) found.push_back({file, group});
      }
    });
  } catch (const std::exception&) {
    // Opening the case below says what is wrong.
  }
  if (found.empty()) found.push_back({file, prefix + "no_case_found"});
  return found;
}

Case::Case(const CaseId& id) : file_(file_path(id.file)), group_(id.group) {
  within(file_, group_, [](hid_t) {});
}

std::string Case::where(const std::string& name) const {
  return fmt::format("{}: {}: {}", file_, group_, name);
}

bool Case::has_option(const std::string& name) const {
  return within(file_, group_, [&](hid_t group) {
    return checked(H5Aexists(group, name.c_str()), where(name)) > 0;
  });
}

std::vector<int64_t> Case::integers(const std::string& name) const {
  return within(file_, group_, [&](hid_t group) {
    const Handle attribute = open_attribute(group, name, where(name));
    const Handle space(H5Aget_space(attribute), H5Sclose, where(name));
    const auto count = checked(H5Sget_simple_extent_npoints(space), where(name));
    std::vector<int64_t> values(static_cast<size_t>(count));
    checked(H5Aread(attribute, H5T_NATIVE_INT64, values.data()), where(name));
    return values;
  });
}

int64_t Case::integer(const std::string& name) const { return integers(name).at(0); }

double Case::real(const std::string& name) const {
  return within(file_, group_, [&](hid_t group) {
    double value = 0;
    checked(H5Aread(open_attribute(group, name, where(name)), H5T_NATIVE_DOUBLE, &value),
            where(name));
    return value;
  });
}

std::string Case::word(const std::string& name) const {
  return within(file_, group_, [&](hid_t group) {
    const Handle attribute = open_attribute(group, name, where(name));
    const Handle type(H5Aget_type(attribute), H5Tclose, where(name));
    if (H5Tis_variable_str(type) <= 0) throw std::runtime_error(where(name) + ": not a word");
    char* text = nullptr;
    checked(H5Aread(attribute, type, static_cast<void*>(&text)), where(name));
    const std::string word = text;
    H5free_memory(text);
    return word;
  });
}

bool Case::has(const std::string& path) const {
  return within(file_, group_, [&](hid_t group) {
    const std::string first = path.substr(0, path.find('/'));
    return H5Lexists(group, first.c_str(), H5P_DEFAULT) > 0 &&
           H5Lexists(group, path.c_str(), H5P_DEFAULT) > 0;
  });
}

std::vector<std::string> Case::names(const std::string& group) const {
  if (!has(group)) return {};
  return within(file_, group_ + "/" + group, [](hid_t opened) { return members(opened); });
}

Tensor Case::read(const std::string& path) const {
  return within(file_, group_, [&](hid_t group) {
    const Handle data = open_data(group, path, where(path));
    const Handle type(H5Dget_type(data), H5Tclose, where(path));
    const Handle space(H5Dget_space(data), H5Sclose, where(path));
    const bool whole = H5Tget_class(type) == H5T_INTEGER;
    Tensor values = at::empty(shape_of(space), whole ? at::kLong : at::kDouble);
    checked(H5Dread(data, whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                    H5P_DEFAULT, values.data_ptr()),
            where(path));
    return values;
  });
}

std::vector<std::string> Case::words(const std::string& path) const {
  return within(file_, group_, [&](hid_t group) {
    const Handle data = open_data(group, path, where(path));
    const Handle type(H5Dget_type(data), H5Tclose, where(path));
    const Handle space(H5Dget_space(data), H5Sclose, where(path));
    if (H5Tis_variable_str(type) <= 0) throw std::runtime_error(where(path) + ": not words");
    std::vector<char*> texts(static_cast<size_t>(H5Sget_simple_extent_npoints(space)));
    checked(H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()), where(path));
    std::vector<std::string> words(texts.begin(), texts.end());
    checked(H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts.data()), where(path));
    return words;
  });
}

bool Case::is_float32(const std::string& path) const {
  return within(file_, group_, [&](hid_t group) {
    const Handle data = open_data(group, path, where(path));
    const Handle type(H5Dget_type(data), H5Tclose, where(path));
    return H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) == 4;
  });
}

Tensor Case::leaf(const std::string& path) {
  const auto known = leaves_.find(path);
  if (known != leaves_.end()) return known->second;
  return leaves_.emplace(path, read(path).to(at::kDouble).requires_grad_()).first->second;
}

}  // namespace relbias::golden
