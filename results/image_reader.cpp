// SPDX-License-Identifier: Apache-2.0
// results: the bytes of an HDF5 file to contents.
#include <cstring>
#include <optional>

#include "results/hdf5_handle.h"
#include "results/image.h"

namespace relbias {
namespace {

using hdf5::bool_type;
using hdf5::checked;
using hdf5::compound_of;
using hdf5::Handle;
using hdf5::native;
using hdf5::no_file;
using hdf5::Session;

// Of a single value; nothing for a kind that no run has.
std::optional<StoredAttribute> read_attribute(hid_t attribute) {
  const Handle space(H5Aget_space(attribute), H5Sclose, "attribute");
  if (H5Sget_simple_extent_type(space) != H5S_SCALAR) return std::nullopt;
  const Handle type(H5Aget_type(attribute), H5Tclose, "attribute");
  const auto read = [&](hid_t memory_type, auto value) {
    checked(H5Aread(attribute, memory_type, &value), "attribute");
    return value;
  };
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return read(H5T_NATIVE_INT64, int64_t{});
    case H5T_FLOAT:
      return read(H5T_NATIVE_DOUBLE, double{});
    case H5T_STRING: {
      if (H5Tis_variable_str(type) <= 0) return std::nullopt;
      char* text = read(type, static_cast<char*>(nullptr));
      std::string copy = text == nullptr ? "" : text;
      H5free_memory(text);
      return copy;
    }
    default:
      return std::nullopt;
  }
}

StoredAttributes read_attributes(hid_t object) {
  StoredAttributes attributes;
  H5O_info_t info{};
  checked(H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS), "attributes");
  for (hsize_t i = 0; i < info.num_attrs; ++i) {
    const Handle attribute(
        H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose, "attribute");
    std::string name(checked(H5Aget_name(attribute, 0, nullptr), "attribute"), '\0');
    checked(H5Aget_name(attribute, name.size() + 1, name.data()), "attribute");
    if (auto value = read_attribute(attribute)) attributes.emplace(name, *std::move(value));
  }
  return attributes;
}

// The shape of a dataset. A size that the file cannot hold is damaged and must not ask for
// terabytes; deflate, the densest filter, packs 1032 to 1.
std::vector<int64_t> shape_of(hid_t dataset, size_t element_size, size_t image_size) {
  const Handle space(H5Dget_space(dataset), H5Sclose, "shape");
  std::vector<hsize_t> shape(checked(H5Sget_simple_extent_ndims(space), "shape"));
  checked(H5Sget_simple_extent_dims(space, shape.data(), nullptr), "shape");
  size_t bytes = element_size;
  for (const hsize_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes / 1032 > image_size) {
      throw StoreError("it claims more data than the file can hold");
    }
  }
  return {shape.begin(), shape.end()};
}

template <typename Value>
std::vector<Value> read_values(hid_t dataset, hid_t type, size_t count) {
  std::vector<Value> values(count);
  checked(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "reading values");
  return values;
}

StoredValues read_array_values(hid_t dataset, hid_t type, size_t count) {
  const H5T_class_t kind = H5Tget_class(type);
  const size_t size = H5Tget_size(type);
  if (kind == H5T_FLOAT && size <= sizeof(float)) {
    return read_values<float>(dataset, native(float{}), count);
  }
  if (kind == H5T_FLOAT) return read_values<double>(dataset, native(double{}), count);
  if (kind == H5T_INTEGER && size == 1) return read_values<char>(dataset, native(char{}), count);
  if (kind == H5T_INTEGER) return read_values<int64_t>(dataset, native(int64_t{}), count);
  throw StoreError("it holds neither numbers nor a table");
}

// The type in memory of a column that has `type` in the file.
Handle memory_type(hid_t type, const std::string& name) {
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_INTEGER) return {H5Tcopy(native(int64_t{})), H5Tclose, name};
  if (kind == H5T_FLOAT) return {H5Tcopy(native(double{})), H5Tclose, name};
  if (kind == H5T_ENUM) return bool_type();
  if (kind == H5T_STRING && H5Tis_variable_str(type) == 0) return {H5Tcopy(type), H5Tclose, name};
  throw StoreError(fmt::format("column '{}' is of a type that no run has", name));
}

// Rows as they lie in memory, and one column of them.
struct Rows {
  std::vector<char> bytes;
  size_t size;  // of a row
  size_t count;

  template <typename Value>
  std::vector<Value> numbers(size_t offset) const {
    std::vector<Value> values(count);
    for (size_t row = 0; row < count; ++row) {
      std::memcpy(&values[row], &bytes[row * size + offset], sizeof(Value));
    }
    return values;
  }
  std::vector<std::string> texts(size_t offset, size_t width) const {
    std::vector<std::string> values(count);
    for (size_t row = 0; row < count; ++row) {
      const std::string_view padded(&bytes[row * size + offset], width);
      values[row] = padded.substr(0, padded.find('\0'));
    }
    return values;
  }
  StoredColumnValues column(hid_t type, size_t offset) const {
    const H5T_class_t kind = H5Tget_class(type);
    if (kind == H5T_INTEGER) return numbers<int64_t>(offset);
    if (kind == H5T_FLOAT) return numbers<double>(offset);
    if (kind == H5T_STRING) return texts(offset, H5Tget_size(type));
    const auto bits = numbers<char>(offset);
    return std::vector<bool>(bits.begin(), bits.end());
  }
};

StoredTable read_table(hid_t dataset, hid_t type, size_t rows) {
  StoredTable table;
  std::vector<Handle> types;
  size_t row_size = 0;
  for (unsigned i = 0; i < static_cast<unsigned>(checked(H5Tget_nmembers(type), "columns")); ++i) {
    const Handle member(H5Tget_member_type(type, i), H5Tclose, "column");
    char* name = H5Tget_member_name(type, i);
    table.push_back({name == nullptr ? "" : name, {}});
    H5free_memory(name);
    types.push_back(memory_type(member, table.back().name));
    row_size += H5Tget_size(types.back());
  }
  const Handle row_type = compound_of(row_size);
  size_t offset = 0;
  for (size_t i = 0; i < table.size(); ++i) {
    checked(H5Tinsert(row_type, table[i].name.c_str(), offset, types[i]), table[i].name);
    offset += H5Tget_size(types[i]);
  }
  const Rows found{read_values<char>(dataset, row_type, rows * row_size), row_size, rows};
  offset = 0;
  for (size_t i = 0; i < table.size(); ++i) {
    table[i].values = found.column(types[i], offset);
    offset += H5Tget_size(types[i]);
  }
  return table;
}

std::variant<StoredArray, StoredTable> read_dataset(hid_t dataset, size_t image_size) {
  const Handle type(H5Dget_type(dataset), H5Tclose, "type");
  const std::vector<int64_t> shape = shape_of(dataset, H5Tget_size(type), image_size);
  const bool is_table = H5Tget_class(type) == H5T_COMPOUND;
  if (is_table && shape.size() != 1) throw StoreError("expected a list of rows");
  if (is_table) return read_table(dataset, type, static_cast<size_t>(shape[0]));
  size_t count = 1;
  for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
  return StoredArray{shape, read_array_values(dataset, type, count), read_attributes(dataset)};
}

// All datasets of the file, in the order in which they were written where the file remembers it.
// Each object comes once, so that the links of a damaged file cannot lead in circles.
std::vector<std::string> dataset_paths(hid_t file) {
  std::vector<std::string> paths;
  const auto collect = [](hid_t, const char* path, const H5O_info_t* info, void* found) -> herr_t {
    if (info->type == H5O_TYPE_DATASET) {
      static_cast<std::vector<std::string>*>(found)->emplace_back(path);
    }
    return 0;
  };
  const auto visit = [&](H5_index_t order) {
    paths.clear();
    return H5Ovisit2(file, order, H5_ITER_INC, collect, &paths, H5O_INFO_BASIC);
  };
  if (visit(H5_INDEX_CRT_ORDER) < 0) checked(visit(H5_INDEX_NAME), "listing datasets");
  return paths;
}

}  // namespace

StoredContents contents_in(const std::vector<char>& image, const ImageReading& reading) {
  if (image.empty()) throw StoreError("the file is empty");
  if (!std::string_view(image.data(), image.size()).starts_with("\x89HDF\r\n\x1a\n")) {
    throw StoreError("not an HDF5 file");
  }
  const Session session;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file access");
  checked(H5Pset_fapl_core(access, size_t{1} << 16U, 0), "file access");
  checked(H5Pset_file_image(access, const_cast<char*>(image.data()), image.size()), "file access");
  const Handle file(H5Fopen(no_file, H5F_ACC_RDONLY, access), H5Fclose, "damaged HDF5 file");

  StoredContents contents{read_attributes(file), {}};
  reading.accept(contents.attributes);
  for (const std::string& path : dataset_paths(file)) {
    if (!reading.wants(path)) continue;
    try {
      const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose, "opening");
      contents.datasets.push_back({path, read_dataset(dataset, image.size())});
    } catch (const StoreError& error) {
      throw StoreError(fmt::format("dataset '{}': {}", path, error.what()));
    }
  }
  return contents;
}

}  // namespace relbias
