// SPDX-License-Identifier: Apache-2.0
// results: the only file that knows HDF5. It builds and reads images in memory and never lets HDF5
// open a file: HDF5 cuts files that it may not write, reports a full disk too late and leaves half
// a file when killed. run_file.cpp moves the bytes.
#include "results/store.h"

#include <fmt/format.h>
#define H5_USE_110_API  // which later releases still offer
#include <hdf5.h>

#include <array>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "results/packed_rows.h"
#include "results/seal.h"
#include "results/utf8.h"

namespace relbias {
namespace {

// Images have no file; HDF5 wants a name all the same, so it gets one that cannot exist.
constexpr const char* no_file = "/dev/null/image.h5";

// HDF5's own words for its last failure: the innermost entry of its error stack.
std::string hdf5_message() {
  std::string message = "HDF5 gives no reason";
  const auto innermost = [](unsigned depth, const H5E_error2_t* error, void* text) -> herr_t {
    if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &message);
  return message;
}

template <typename Result>
Result checked(Result result, std::string_view action) {
  if (result < 0) throw StoreError(fmt::format("{}: {}", action, hdf5_message()));
  return result;
}

// One thread in HDF5 at a time, from opening to closing, and its own printing of errors off.
// Locking single calls would not do: sequences interleave, and closing is a call too.
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

hid_t native(double /*value*/) { return H5T_NATIVE_DOUBLE; }
hid_t native(float /*value*/) { return H5T_NATIVE_FLOAT; }
hid_t native(int64_t /*value*/) { return H5T_NATIVE_INT64; }
hid_t native(char /*value*/) { return H5T_NATIVE_INT8; }

Handle text_type(size_t width) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "text type");
  checked(H5Tset_size(type, width), "text type");
  checked(H5Tset_cset(type, H5T_CSET_UTF8), "text type");
  if (width != H5T_VARIABLE) checked(H5Tset_strpad(type, H5T_STR_NULLPAD), "text type");
  return type;
}

Handle type_of(const PackedColumn& column) {
  if (column.kind == PackedKind::text) return text_type(column.width);
  if (column.kind != PackedKind::boolean) {
    const bool whole = column.kind == PackedKind::integer;
    return {H5Tcopy(whole ? native(int64_t{}) : native(double{})), H5Tclose, column.name};
  }
  Handle type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose, column.name);  // as h5py writes them
  for (const auto& [name, value] : {std::pair<const char*, int8_t>{"FALSE", 0}, {"TRUE", 1}}) {
    checked(H5Tenum_insert(type, name, &value), column.name);
  }
  return type;
}

Handle type_of(const PackedRows& rows) {
  Handle type(H5Tcreate(H5T_COMPOUND, rows.row_size), H5Tclose, "table type");
  for (const PackedColumn& column : rows.columns) {
    checked(H5Tinsert(type, column.name.c_str(), column.offset, type_of(column)), column.name);
  }
  return type;
}

// ---- writing ----

void write_attribute(hid_t object, const std::string& name, const StoredAttribute& attribute) {
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, name);
  const auto write = [&](hid_t type, const void* value) {
    const Handle created(H5Acreate2(object, name.c_str(), type, scalar, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose, name);
    checked(H5Awrite(created, type, value), name);
  };
  if (const auto* text = std::get_if<std::string>(&attribute)) {
    const std::string valid = valid_utf8(*text);
    const char* pointer = valid.c_str();
    write(text_type(H5T_VARIABLE), &pointer);
  } else if (const auto* integer = std::get_if<int64_t>(&attribute)) {
    write(native(*integer), integer);
  } else {
    write(native(double{}), &std::get<double>(attribute));
  }
}

// Properties of an object that keeps the order of its attributes and, where it is a group, of what
// is put in. HDF5 then writes headers with checksums too. (Its newer formats have them anyway, but
// releases before 2.0 get the superblock's checksum wrong in H5Fget_file_image:
// HDFGroup/hdf5#1915.)
Handle ordered(hid_t kind) {
  Handle properties(H5Pcreate(kind), H5Pclose, "creation properties");
  constexpr unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
  checked(H5Pset_attr_creation_order(properties, order), "order of attributes");
  if (kind != H5P_DATASET_CREATE) {
    checked(H5Pset_link_creation_order(properties, order), "order of groups");
  }
  return properties;
}

// Opens the group, or creates it.
Handle group_at(hid_t parent, const std::string& name) {
  if (checked(H5Lexists(parent, name.c_str(), H5P_DEFAULT), name) > 0) {
    return {H5Gopen2(parent, name.c_str(), H5P_DEFAULT), H5Gclose, name};
  }
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, ordered(H5P_GROUP_CREATE), H5P_DEFAULT),
          H5Gclose, name};
}

// A dataset with its values; creates the groups on the way.
Handle write_dataset(hid_t parent, const std::string& path, hid_t type,
                     const std::vector<int64_t>& shape, const void* values) {
  if (const size_t slash = path.find('/'); slash != std::string::npos) {
    return write_dataset(group_at(parent, path.substr(0, slash)), path.substr(slash + 1), type,
                         shape, values);
  }
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                     H5Sclose, path);
  Handle dataset(H5Dcreate2(parent, path.c_str(), type, space, H5P_DEFAULT,
                            ordered(H5P_DATASET_CREATE), H5P_DEFAULT),
                 H5Dclose, path);
  checked(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), path);
  return dataset;
}

void write(hid_t file, const std::string& path, const StoredArray& array) {
  const Handle dataset = std::visit(
      [&]<typename Value>(const std::vector<Value>& values) {
        return write_dataset(file, path, native(Value{}), array.shape, values.data());
      },
      array.values);
  for (const auto& [name, value] : array.attributes) write_attribute(dataset, name, value);
}

void write(hid_t file, const std::string& path, const StoredTable& table) {
  const PackedRows rows = pack(table);
  write_dataset(file, path, type_of(rows), {static_cast<int64_t>(rows.count)}, rows.bytes.data());
}

std::vector<char> image_of(const StoredContents& contents) {
  const Session session;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file access");
  checked(H5Pset_fapl_core(access, size_t{1} << 16U, false), "file access");
  const Handle file(H5Fcreate(no_file, H5F_ACC_EXCL, ordered(H5P_FILE_CREATE), access), H5Fclose,
                    "new image");
  for (const auto& [name, value] : contents.attributes) write_attribute(file, name, value);
  for (const StoredDataset& dataset : contents.datasets) {
    std::visit([&](const auto& data) { write(file, dataset.path, data); }, dataset.data);
  }
  checked(H5Fflush(file, H5F_SCOPE_GLOBAL), "flushing the image");
  std::vector<char> image(checked(H5Fget_file_image(file, nullptr, 0), "size of the image"));
  checked(H5Fget_file_image(file, image.data(), image.size()), "copying the image");
  return image;
}

// ---- reading ----

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
  if (kind == H5T_INTEGER && size == 1) return read_values<char>(dataset, native(char{}), count);
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

std::variant<StoredArray, StoredTable> read_dataset(hid_t dataset, size_t image_size) {
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

}  // namespace

std::string hdf5_version() {
  const Session session;
  std::array<unsigned, 3> version{};
  checked(H5get_libversion(&version[0], &version[1], &version[2]), "version of HDF5");
  return fmt::format("{}", fmt::join(version, "."));
}

StoredContents read_contents(const std::filesystem::path& file, const ContentsFilter& filter) {
  std::vector<char> bytes = file_bytes(file);
  try {
    check_seal(bytes);
    return contents_in(bytes, filter);
  } catch (const StoreError& error) {
    throw StoreError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

void write_contents(const std::filesystem::path& file, const StoredContents& contents) {
  std::vector<char> bytes;
  try {
    bytes = image_of(contents);
  } catch (const StoreError& error) {
    throw StoreError(fmt::format("{}: {}", file.string(), error.what()));
  }
  seal(bytes);
  replace_file(file, bytes);
}

}  // namespace relbias
