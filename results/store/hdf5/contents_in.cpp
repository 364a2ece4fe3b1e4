// SPDX-License-Identifier: Apache-2.0
// results/store/hdf5: the image of an HDF5 file, which may be damaged or another's, becomes
// contents.
#include <algorithm>
#include <optional>
#include <string_view>

#include "results/store/hdf5/handles.h"
#include "results/store/hdf5/image.h"

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

// `others`: names of attributes of a kind that no run has.
StoredAttributes read_attributes(hid_t object, std::vector<std::string>& others) {
  StoredAttributes attributes;
  H5O_info_t info{};
  checked(H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS), "attributes");
  for (hsize_t i = 0; i < info.num_attrs; ++i) {
    const Handle attribute(
        H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose, "attribute");
    std::string name(checked(H5Aget_name(attribute, 0, nullptr), "attribute"), '\0');
    checked(H5Aget_name(attribute, name.size() + 1, name.data()), "attribute");
    if (auto value = read_attribute(attribute)) {
      attributes.emplace(name, *std::move(value));
    } else {
      others.push_back(name);
    }
  }
  return attributes;
}

// The shape of a dataset. A size that the file cannot hold is damaged and must not ask for
// terabytes; deflate, the densest filter, packs 1032 to 1.
std::vector<int64_t> shape_of(hid_t dataset, size_t element_size, size_t image_size) {
  const Handle space(H5Dget_space(dataset), H5Sclose, "shape");
  if (H5Sget_simple_extent_type(space) == H5S_NULL) throw StoreError("it holds no value");
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

StoredValues read_array(hid_t dataset, hid_t type, size_t count) {
  const H5T_class_t kind = H5Tget_class(type);
  const size_t size = H5Tget_size(type);
  if (kind == H5T_FLOAT && size <= 4) return read_values<float>(dataset, native(float{}), count);
  if (kind == H5T_FLOAT) return read_values<double>(dataset, native(double{}), count);
  // HDF5 clamps what does not fit: a byte above 127 would become 127.
  if (kind == H5T_INTEGER && size == 1 && H5Tget_sign(type) == H5T_SGN_2) {
    return read_values<char>(dataset, native(char{}), count);
  }
  if (kind == H5T_INTEGER) return read_values<double>(dataset, native(double{}), count);
  if (kind == H5T_ENUM && size == 1) return read_values<char>(dataset, type, count);  // h5py's bool
  throw StoreError("it holds neither real numbers, bytes nor a table");
}

void add_column(PackedRows& rows, const std::string& name, hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_INTEGER) return rows.add_column(name, PackedKind::integer, sizeof(int64_t));
  if (kind == H5T_FLOAT) return rows.add_column(name, PackedKind::real, sizeof(double));
  if (kind == H5T_ENUM) return rows.add_column(name, PackedKind::boolean, 1);
  if (kind != H5T_STRING || H5Tis_variable_str(type) != 0) {
    throw StoreError(fmt::format("column '{}' is of a type that no run has", name));
  }
  rows.add_column(name, PackedKind::text, H5Tget_size(type));
}

StoredTable read_table(hid_t dataset, hid_t type, size_t count) {
  PackedRows rows;
  rows.count = count;
  const Handle row_type(H5Tcreate(H5T_COMPOUND, 1), H5Tclose, "table type");  // grows below
  for (unsigned i = 0; i < static_cast<unsigned>(checked(H5Tget_nmembers(type), "columns")); ++i) {
    const Handle member(H5Tget_member_type(type, i), H5Tclose, "column");
    char* text = H5Tget_member_name(type, i);
    const std::string name = text == nullptr ? "" : text;
    H5free_memory(text);
    add_column(rows, name, member);
    const PackedColumn& column = rows.columns.back();
    const bool is_text =
        column.kind == PackedKind::text;  // HDF5 converts between no character sets
    const Handle own = is_text ? Handle(H5Tcopy(member), H5Tclose, name) : type_of(column);
    checked(H5Tset_size(row_type, rows.row_size), name);
    checked(H5Tinsert(row_type, name.c_str(), column.offset, own), name);
  }
  rows.bytes = read_values<char>(dataset, row_type, count * rows.row_size);
  return unpack(rows);
}

// Values in other files would be looked for in the working folder and be zeros where they are not.
void refuse_elsewhere(hid_t dataset) {
  const Handle creation(H5Dget_create_plist(dataset), H5Pclose, "storage");
  if (H5Pget_layout(creation) == H5D_VIRTUAL || H5Pget_external_count(creation) > 0) {
    throw StoreError(
        "its values lie in other files (virtual or external storage), where they are "
        "not read: values of its own expected");
  }
}

std::variant<StoredArray, StoredTable> read_dataset(hid_t dataset, size_t image_size) {
  refuse_elsewhere(dataset);
  const Handle type(H5Dget_type(dataset), H5Tclose, "type");
  const std::vector<int64_t> shape = shape_of(dataset, H5Tget_size(type), image_size);
  size_t count = 1;
  for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
  if (H5Tget_class(type) != H5T_COMPOUND) {
    std::vector<std::string> others;
    return StoredArray{shape, read_array(dataset, type, count), read_attributes(dataset, others)};
  }
  if (shape.size() != 1) throw StoreError("expected a list of rows, or real numbers (not complex)");
  return read_table(dataset, type, count);
}

struct Paths {
  std::vector<std::string> datasets, groups;
};

// Names of a group that lead to no object, or to one that came under another name.
std::vector<std::string> links_in(hid_t file, const Paths& paths) {
  std::vector<std::string> names, links;
  const auto collect = [](hid_t, const char* path, const H5L_info_t*, void* found) -> herr_t {
    static_cast<std::vector<std::string>*>(found)->emplace_back(path);
    return 0;
  };
  checked(H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, collect, &names), "listing links");
  const auto is_known = [](const std::vector<std::string>& known, const std::string& name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  for (const std::string& name : names) {
    if (!is_known(paths.datasets, name) && !is_known(paths.groups, name)) links.push_back(name);
  }
  return links;
}

// All datasets of the file, in the order in which they were written where the file remembers it.
// Each object comes once, so that the links of a damaged file cannot lead in circles.
Paths paths_in(hid_t file) {
  Paths paths;
  const auto collect = [](hid_t, const char* path, const H5O_info_t* info, void* found) -> herr_t {
    auto& lists = *static_cast<Paths*>(found);
    if (info->type == H5O_TYPE_DATASET) lists.datasets.emplace_back(path);
    if (info->type == H5O_TYPE_GROUP && std::string_view(path) != ".")
      lists.groups.emplace_back(path);
    return 0;
  };
  const auto visit = [&](H5_index_t order) {
    paths = {};
    return H5Ovisit2(file, order, H5_ITER_INC, collect, &paths, H5O_INFO_BASIC);
  };
  if (visit(H5_INDEX_CRT_ORDER) < 0) checked(visit(H5_INDEX_NAME), "listing datasets");
  return paths;
}

}  // namespace

StoredContents contents_in(std::vector<char>& image, const ContentsFilter& filter) {
  if (image.empty()) throw StoreError("the file is empty");
  if (!std::string_view(image.data(), image.size()).starts_with("\x89HDF\r\n\x1a\n")) {
    throw StoreError("not an HDF5 file");
  }
  const Session session;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file access");
  checked(H5Pset_fapl_core(access, size_t{1} << 16U, false), "file access");
  checked(H5Pset_file_image(access, image.data(), image.size()), "file access");
  const Handle file(H5Fopen(no_file, H5F_ACC_RDONLY, access), H5Fclose, "damaged HDF5 file");

  StoredContents contents;
  contents.attributes = read_attributes(file, contents.other_attributes);
  filter.accept(contents.attributes);
  Paths paths = paths_in(file);
  contents.links = links_in(file, paths);
  contents.groups = std::move(paths.groups);
  for (const std::string& path : paths.datasets) {
    if (!filter.wants(path)) continue;
    try {
      const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose, "opening");
      contents.datasets.push_back({path, read_dataset(dataset, image.size())});
    } catch (const StoreError& error) {
      throw StoreError(fmt::format("dataset '{}': {}", path, error.what()));
    }
  }
  return contents;
}

}  // namespace relbias::results::hdf5
