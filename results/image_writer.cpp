// SPDX-License-Identifier: Apache-2.0
// results: contents to the bytes of an HDF5 file.
#include <algorithm>

#include "results/hdf5_handle.h"
#include "results/image.h"
#include "results/utf8.h"

namespace relbias {
namespace {

using hdf5::bool_type;
using hdf5::checked;
using hdf5::compound_of;
using hdf5::Handle;
using hdf5::native;
using hdf5::no_file;
using hdf5::Session;
using hdf5::text_type;

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
  const Handle order = ordered(H5P_GROUP_CREATE);
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, order, H5P_DEFAULT), H5Gclose, name};
}

Handle create_dataset(hid_t parent, const std::string& path, hid_t type,
                      const std::vector<int64_t>& shape) {
  if (const size_t slash = path.find('/'); slash != std::string::npos) {
    return create_dataset(group_at(parent, path.substr(0, slash)), path.substr(slash + 1), type,
                          shape);
  }
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                     H5Sclose, path);
  return {H5Dcreate2(parent, path.c_str(), type, space, H5P_DEFAULT, ordered(H5P_DATASET_CREATE),
                     H5P_DEFAULT),
          H5Dclose, path};
}

void write_values(hid_t dataset, hid_t type, const void* values) {
  checked(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "writing values");
}

void write(hid_t file, const std::string& path, const StoredArray& array) {
  std::visit(
      [&]<typename Value>(const std::vector<Value>& values) {
        const hid_t type = native(Value{});
        const Handle dataset = create_dataset(file, path, type, array.shape);
        write_values(dataset, type, values.data());
        for (const auto& [name, attribute] : array.attributes) {
          write_attribute(dataset, name, attribute);
        }
      },
      array.values);
}

// A column on its way into rows: the type of a value, and the values one after the other.
struct PackedColumn {
  Handle type;
  std::vector<char> bytes;
};

template <typename Number>
PackedColumn packed(const std::vector<Number>& values) {
  const auto* bytes = reinterpret_cast<const char*>(values.data());
  return {{H5Tcopy(native(Number{})), H5Tclose, "number type"},
          {bytes, bytes + values.size() * sizeof(Number)}};
}
PackedColumn packed(const std::vector<bool>& values) {
  return {bool_type(), {values.begin(), values.end()}};
}
// Fixed width, padded with NULs: every reader of HDF5 tables knows it, unlike texts of variable
// length.
PackedColumn packed(std::vector<std::string> texts) {
  size_t width = 1;
  for (std::string& text : texts) {
    text = valid_utf8(text);
    width = std::max(width, text.size());
  }
  std::vector<char> bytes(width * texts.size());
  for (size_t i = 0; i < texts.size(); ++i) texts[i].copy(&bytes[i * width], width);
  return {text_type(width), std::move(bytes)};
}

void write(hid_t file, const std::string& path, const StoredTable& table) {
  std::vector<PackedColumn> columns;
  size_t row_size = 0;
  for (const StoredColumn& column : table) {
    columns.push_back(std::visit([](const auto& values) { return packed(values); }, column.values));
    row_size += H5Tget_size(columns.back().type);
  }
  const size_t rows = columns.at(0).bytes.size() / H5Tget_size(columns[0].type);
  const Handle row_type = compound_of(row_size);
  std::vector<char> bytes(rows * row_size);
  size_t offset = 0;
  for (size_t i = 0; i < table.size(); ++i) {
    checked(H5Tinsert(row_type, table[i].name.c_str(), offset, columns[i].type), table[i].name);
    const size_t width = H5Tget_size(columns[i].type);
    for (size_t row = 0; row < rows; ++row) {
      std::copy_n(&columns[i].bytes[row * width], width, &bytes[row * row_size + offset]);
    }
    offset += width;
  }
  const Handle dataset = create_dataset(file, path, row_type, {static_cast<int64_t>(rows)});
  write_values(dataset, row_type, bytes.data());
}

}  // namespace

std::vector<char> image_of(const StoredContents& contents) {
  const Session session;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file access");
  checked(H5Pset_fapl_core(access, size_t{1} << 16U, 0), "file access");
  const Handle creation = ordered(H5P_FILE_CREATE);
  const Handle file(H5Fcreate(no_file, H5F_ACC_EXCL, creation, access), H5Fclose, "new image");
  for (const auto& [name, attribute] : contents.attributes) write_attribute(file, name, attribute);
  for (const StoredDataset& dataset : contents.datasets) {
    std::visit([&](const auto& data) { write(file, dataset.path, data); }, dataset.data);
  }
  checked(H5Fflush(file, H5F_SCOPE_GLOBAL), "flushing the image");
  std::vector<char> image(checked(H5Fget_file_image(file, nullptr, 0), "size of the image"));
  checked(H5Fget_file_image(file, image.data(), image.size()), "copying the image");
  return image;
}

}  // namespace relbias
