// SPDX-License-Identifier: Apache-2.0
// results/store/hdf5: the image of an HDF5 file, which may be damaged or another's, becomes
// contents.
#include <algorithm>
#include <optional>
#include <string_view>

#include "results/store/hdf5/attributes.h"
#include "results/store/hdf5/heaps.h"
#include "results/store/hdf5/image.h"

namespace relbias::results::hdf5 {
namespace {

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

PackedKind kind_of(const std::string& name, hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_INTEGER) return PackedKind::integer;
  if (kind == H5T_FLOAT) return PackedKind::real;
  if (kind == H5T_ENUM) return PackedKind::boolean;
  if (kind == H5T_STRING && H5Tis_variable_str(type) == 0) return PackedKind::text;
  throw StoreError(fmt::format("column '{}' is of a type that no run has", name));
}

// The columns as they lie in the file, and whether they lie there as in our memory: then HDF5 has
// nothing to convert, which takes it longer than to read.
struct FileRows {
  PackedRows rows;
  bool is_plain = true;
};

FileRows rows_in(hid_t type) {
  FileRows found;
  found.rows.row_size = H5Tget_size(type);
  for (unsigned i = 0; i < static_cast<unsigned>(checked(H5Tget_nmembers(type), "columns")); ++i) {
    const Handle member(H5Tget_member_type(type, i), H5Tclose, "column");
    char* text = H5Tget_member_name(type, i);
    const std::string name = text == nullptr ? "" : text;
    H5free_memory(text);
    PackedColumn column{name, kind_of(name, member), H5Tget_size(member),
                        H5Tget_member_offset(type, i)};
    const bool whole = column.kind == PackedKind::integer;
    const bool number = whole || column.kind == PackedKind::real;
    const hid_t ours = whole ? native(int64_t{}) : native(double{});
    if (number) found.is_plain &= H5Tequal(member, ours) > 0;
    found.is_plain &= column.kind != PackedKind::boolean || column.width == 1;
    found.rows.columns.push_back(std::move(column));
  }
  return found;
}

// Likewise, one behind the other and as wide as in our memory, with the type that says so.
std::pair<PackedRows, Handle> converted_rows(const PackedRows& in_file, hid_t type) {
  PackedRows rows;
  Handle row_type(H5Tcreate(H5T_COMPOUND, 1), H5Tclose, "table type");  // grows below
  for (unsigned i = 0; i < in_file.columns.size(); ++i) {
    const auto& [name, kind, width, offset] = in_file.columns[i];
    const bool is_text = kind == PackedKind::text;  // HDF5 converts between no character sets
    const size_t number = kind == PackedKind::boolean ? 1 : sizeof(double);
    rows.add_column(name, kind, is_text ? width : number);
    const Handle own = is_text ? Handle(H5Tget_member_type(type, i), H5Tclose, name)
                               : type_of(rows.columns.back());
    checked(H5Tset_size(row_type, rows.row_size), name);
    checked(H5Tinsert(row_type, name.c_str(), rows.columns.back().offset, own), name);
  }
  return {std::move(rows), std::move(row_type)};
}

StoredTable read_table(hid_t dataset, hid_t type, size_t count, const std::string& unwanted) {
  auto [rows, is_plain] = rows_in(type);
  if (is_plain) {
    rows.bytes = read_values<char>(dataset, type, count * rows.row_size);
  } else {
    auto [converted, row_type] = converted_rows(rows, type);
    rows = std::move(converted);
    rows.bytes = read_values<char>(dataset, row_type, count * rows.row_size);
  }
  rows.count = count;
  std::erase_if(rows.columns, [&](const PackedColumn& one) { return one.name == unwanted; });
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

std::variant<StoredArray, StoredTable> read_dataset(hid_t dataset, size_t image_size,
                                                    const std::string& unwanted) {
  refuse_elsewhere(dataset);
  const Handle type(H5Dget_type(dataset), H5Tclose, "type");
  const std::vector<int64_t> shape = shape_of(dataset, H5Tget_size(type), image_size);
  size_t count = 1;
  for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
  if (H5Tget_class(type) != H5T_COMPOUND) {
    return StoredArray{shape, read_array(dataset, type, count)};
  }
  if (shape.size() != 1) throw StoreError("expected a list of rows, or real numbers (not complex)");
  return read_table(dataset, type, count, unwanted);
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
  check_heaps(image);
  const Session session;
  const Handle file = open_image(image, no_file);

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
      std::vector<std::string> others;
      StoredAttributes attributes = read_attributes(dataset, others);
      if (!filter.is_meant(path, attributes)) continue;
      auto data = read_dataset(dataset, image.size(), filter.unwanted_column);
      contents.datasets.push_back({path, std::move(data), std::move(attributes)});
    } catch (const StoreError& error) {
      throw StoreError(fmt::format("dataset '{}': {}", path, error.what()));
    }
  }
  return contents;
}

}  // namespace relbias::results::hdf5
